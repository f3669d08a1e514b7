//! The writes of controllers, by the instance that they are about.

use std::collections::BTreeMap;

use anyhow::bail;
use serde_json::{Value, json};

use super::tracker::Track;
use super::wire::Write;

/// What was written about one instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Written {
    /// Its resource that differs between revisions.
    changing: usize,
    /// Its resource that does not.
    same: usize,
    status: usize,
    /// Its labels and finalizers.
    object: usize,
}

/// All writes.
#[derive(Debug, Default)]
pub(super) struct Tally {
    by_instance: BTreeMap<String, Written>,
    others: BTreeMap<String, usize>,
    refused: usize,
    /// By instance, when its status was written and with what.
    statuses: BTreeMap<String, Vec<String>>,
}

impl Tally {
    pub(super) fn of(writes: &[Write]) -> Self {
        let mut tally = Self::default();
        for write in writes {
            if write.is_taken {
                tally.add(write);
            } else {
                tally.refused += 1;
            }
        }
        tally
    }

    fn add(&mut self, Write { path, at, text, .. }: &Write) {
        let (_, rest) = path.split_once("/namespaces/default/").unwrap_or(("", path));
        let parts: Vec<&str> = rest.split('/').filter(|it| !it.is_empty()).collect();
        let of = |tally: &mut Self, name: &str, add: fn(&mut Written)| {
            add(tally.by_instance.entry(name.to_owned()).or_default());
        };
        match parts[..] {
            ["deployments", name] => of(self, name, |it| it.changing += 1),
            ["configmaps", name] => of(self, name, |it| it.same += 1),
            ["sites", name, "status"] => {
                of(self, name, |it| it.status += 1);
                self.statuses.entry(name.to_owned()).or_default().push(format!("\n    {at}: {text}"));
            }
            ["sites", name] => of(self, name, |it| it.object += 1),
            _ => *self.others.entry(kind(path)).or_default() += 1,
        }
    }

    /// Holds the writes about instances against rule V16: for each move to another content at most one write of the
    /// resource that changes, none of any other, and three of the status. When the resource falls back on its own, two more
    /// of the status: that it is not ready, and that it is again.
    pub(super) fn check<'t>(
        &self,
        instances: impl Iterator<Item = (&'t String, &'t Track)>,
        relapses: &BTreeMap<String, usize>,
    ) -> anyhow::Result<Value> {
        let (mut all, mut moves, mut wrong) = (Written::default(), 0, Vec::new());
        for (name, track) in instances {
            let written = self.by_instance.get(name).copied().unwrap_or_default();
            let relapses = relapses.get(name).copied().unwrap_or_default();
            moves += track.moves;
            all.changing += written.changing;
            all.status += written.status;
            let is_within = written.changing <= track.moves
                && written.status <= 3 * track.moves + 2 * relapses
                && (written.same, written.object) == (0, 0);
            if !is_within {
                let told = self.statuses.get(name).filter(|_| wrong.is_empty());
                let told = told.map(|it| it.concat()).unwrap_or_default();
                let moves = track.moves;
                wrong.push(format!("{name} has moved {moves} times, relapsed {relapses}: {written:?}{told}"));
            }
        }
        if !wrong.is_empty() {
            wrong.truncate(10);
            bail!("more was written than rule V16 allows:\n  {}", wrong.join("\n  "));
        }
        Ok(json!({
            "moves": moves, "relapses": relapses.values().sum::<usize>(), "resource_writes": all.changing, "status_writes": all.status,
            "other_writes": self.others, "refused_writes": self.refused,
        }))
    }
}

/// The last part of a path that is no name: what kind of object it is about.
fn kind(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').filter(|it| !it.is_empty()).collect();
    let after = match parts[..] {
        ["api", _, "namespaces", _, ..] => 4,
        ["apis", _, _, "namespaces", _, ..] => 5,
        ["api", ..] => 2,
        _ => 3,
    };
    parts.get(after).copied().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn write(path: &str, is_taken: bool) -> Write {
        Write { path: path.to_owned(), is_taken, at: Timestamp::UNIX_EPOCH, text: String::new() }
    }

    fn check(paths: &[&str], moves: usize) -> Result<String, String> {
        check_with(paths, moves, 0)
    }

    fn check_with(paths: &[&str], moves: usize, relapses: usize) -> Result<String, String> {
        let writes: Vec<Write> = paths.iter().map(|it| write(it, true)).collect();
        let (name, track) = ("a".to_owned(), Track { moves, ..Track::default() });
        let relapses = BTreeMap::from([(name.clone(), relapses)]);
        let checked = Tally::of(&writes).check([(&name, &track)].into_iter(), &relapses);
        checked.map(|it| it.to_string()).map_err(|it| it.to_string())
    }

    #[test]
    fn a_move_is_one_write_of_one_resource_and_three_of_the_status() {
        let web = "/apis/apps/v1/namespaces/default/deployments/a";
        let status = "/apis/kro.run/v1alpha1/namespaces/default/sites/a/status";
        assert!(check(&[], 0).is_ok());
        assert!(check(&[web, status, status, status], 1).is_ok());
        assert!(check(&[web, web], 1).is_err());
        assert!(check(&[status, status, status, status], 1).is_err());
        assert!(check_with(&[status; 5], 1, 1).is_ok());
        assert!(check_with(&[status; 6], 1, 1).is_err());
        assert!(check_with(&[web, web], 1, 1).is_err());
        assert!(check(&["/api/v1/namespaces/default/configmaps/a"], 1).is_err());
        assert!(check(&["/apis/kro.run/v1alpha1/namespaces/default/sites/a"], 1).is_err());
    }

    #[test]
    fn other_writes_are_counted_by_kind() {
        let writes = [
            write("/apis/kro.run/v1alpha1/resourcegraphdefinitions/site/status", true),
            write("/apis/events.k8s.io/v1/namespaces/default/events", true),
            write("/apis/kro.run/v1alpha1/namespaces/default/sites/a/status", false),
        ];
        let tally = Tally::of(&writes);
        let expected = [("events".to_owned(), 1), ("resourcegraphdefinitions".to_owned(), 1)];
        assert_eq!(tally.others, BTreeMap::from(expected));
        assert_eq!((tally.refused, tally.by_instance.len()), (1, 0));
    }
}
