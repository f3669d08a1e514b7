//! Random histories: edits, rollbacks, holds, instances, losses, and two controllers that get in each other's way.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::revision::{ObjectVersion, Presence};

/// What a server and the people around it hold.
#[derive(Clone, Debug)]
struct Server {
    version: u64,
    spec: char,
    rollback: Option<String>,
    answered: Option<String>,
    restoring: Option<RevisionNumber>,
    hold: Option<String>,
    last_issued: Option<RevisionNumber>,
    serving: Option<RevisionNumber>,
    crd: Option<RevisionNumber>,
    revisions: BTreeMap<RevisionNumber, Revision>,
    instances: BTreeSet<Digest>,
    seconds: i64,
    /// Every number ever issued; nobody but the laws can see it.
    ever: BTreeMap<RevisionNumber, Digest>,
}

#[derive(Clone, Debug)]
enum Step {
    Edit(char),
    Ask(u64),
    Hold(Option<u64>),
    Assign(usize),
    Leave,
    Wait(i64),
    LoseStatus,
    DeleteNewest,
    /// A controller looks at the world.
    Look(usize),
    /// It acts upon what it saw last, up to so many writes.
    Act(usize, Freshness, usize),
}

fn step() -> impl Strategy<Value = Step> {
    let freshness = prop_oneof![Just(Freshness::Cached), Just(Freshness::Live)];
    prop_oneof![
        3 => prop::char::range('a', 'd').prop_map(Step::Edit),
        2 => (0u64..8).prop_map(Step::Ask),
        1 => prop::option::of(0u64..6).prop_map(Step::Hold),
        2 => any::<usize>().prop_map(Step::Assign),
        1 => Just(Step::Leave),
        2 => (0i64..90).prop_map(Step::Wait),
        1 => Just(Step::LoseStatus),
        1 => Just(Step::DeleteNewest),
        6 => (0usize..2).prop_map(Step::Look),
        8 => ((0usize..2), freshness, (1usize..4)).prop_map(|(who, how, writes)| Step::Act(who, how, writes)),
    ]
}

impl Server {
    fn new() -> Self {
        Self {
            version: 0,
            spec: 'a',
            rollback: None,
            answered: None,
            restoring: None,
            hold: None,
            last_issued: None,
            serving: None,
            crd: None,
            revisions: BTreeMap::new(),
            instances: BTreeSet::new(),
            seconds: 0,
            ever: BTreeMap::new(),
        }
    }

    fn history(&self) -> History {
        History::new(self.revisions.values().cloned().collect())
    }

    fn decide(&self, freshness: Freshness, limit: u64) -> Issue {
        let history = self.history();
        let answered = self.answered.as_deref().map_or_else(Answered::default, Answered::read);
        let uses = Uses { contents: self.instances.clone(), ..Uses::default() };
        issue(&World {
            lineage: &Lineage::Definition { name: "web".to_owned() },
            spec: digest(self.spec),
            judgement: Judgement::Accepted,
            size: 1,
            history: &history,
            traces: Traces { last_issued: self.last_issued, crd: self.crd, ..Traces::default() },
            reserved: None,
            update_policy: UpdatePolicy::Automatic,
            create_request: None,
            rollback: self.rollback.as_deref().map(request),
            answered: &answered,
            restoring: self.restoring,
            keeper: None,
            hold: Wish { annotation: self.hold.as_deref(), ..Wish::default() },
            serving: self.serving,
            uses: &uses,
            history_limit: limit,
            life: Life::Living,
            freshness,
            now: Timestamp::from_second(self.seconds).unwrap(),
        })
    }

    /// A write to the definition, if it is as it was seen.
    fn definition(&mut self, seen: u64) -> Option<&mut Self> {
        (self.version == seen).then(|| {
            self.version += 1;
            self
        })
    }

    /// A write to a revision, if it is as it was seen.
    fn revision(&mut self, seen: &ObjectVersion) -> Option<&mut Revision> {
        let mut all = self.revisions.values_mut();
        let found = all.find(|it| it.object == *seen)?;
        found.object.resource_version += "'";
        Some(found)
    }

    /// Nothing on a conflict, which ends the turn.
    fn perform(&mut self, action: &Action, seen: u64) -> Option<()> {
        match action {
            Action::Reserve(number) => self.definition(seen)?.last_issued = Some(*number),
            Action::Create(new) => return self.create(new),
            Action::RestoreSpec { from, request, hold } => {
                let content = self.revisions.get(from)?.digest;
                let server = self.definition(seen)?;
                server.spec = ('a'..='d').find(|it| digest(*it) == content)?;
                (server.restoring, server.answered, server.rollback) =
                    (Some(*from), Some(request.clone()), None);
                if *hold == Ending::Ends {
                    server.hold = None;
                }
            }
            Action::AnswerRollback { request } => {
                let server = self.definition(seen)?;
                (server.answered, server.rollback) = (Some(request.clone()), None);
            }
            Action::AnswerCreate => {}
            Action::FinishRestoring => self.definition(seen)?.restoring = None,
            Action::SetSuperseded { revision, superseded } => {
                self.revision(revision)?.superseded = Some(*superseded);
            }
            Action::NoteReplaced { revision, at } => self.revision(revision)?.replaced_at = Some(*at),
            Action::Adopt(revision) => self.revision(revision)?.ownership = Ownership::Own,
            Action::MarkUnused { revision, since } => self.revision(revision)?.unused_since = Some(*since),
            Action::Unmark(revision) => self.revision(revision)?.unused_since = None,
            Action::Prune(revision) => self.prune(revision)?,
        }
        Some(())
    }

    fn create(&mut self, new: &NewRevision) -> Option<()> {
        if self.revisions.contains_key(&new.number) {
            return None;
        }
        assert!(
            self.ever.keys().all(|it| *it < new.number),
            "{} was issued before: {:?}",
            new.number,
            self.ever
        );
        self.ever.insert(new.number, new.digest);
        let mut created = revision(new.number.get(), 'x');
        (created.digest, created.restored_from) = (new.digest, new.restored_from);
        self.revisions.insert(new.number, created);
        Some(())
    }

    fn prune(&mut self, seen: &ObjectVersion) -> Option<()> {
        let number = self.revision(seen)?.number;
        let history = self.history();
        let in_use =
            self.instances.iter().filter_map(|it| history.newest_with(*it)).any(|it| it.number == number);
        assert!(!in_use, "revision {number} is in use");
        assert_ne!(history.latest().map(|it| it.number), Some(number));
        assert_ne!(self.hold.as_deref(), Some(number.to_string().as_str()));
        self.revisions.remove(&number);
        Some(())
    }

    /// What a controller tells after its turn.
    fn publish(&mut self, report: &Report) {
        let highest = self.revisions.keys().next_back().copied();
        self.last_issued = self.last_issued.max(highest);
        self.crd = self.crd.max(highest);
        self.serving = report.current.as_ref().map(|it| it.number);
    }
}

struct Play {
    server: Server,
    seen: [Server; 2],
    limit: u64,
}

impl Play {
    fn step(&mut self, step: &Step) {
        match step {
            Step::Look(who) => self.seen[*who] = self.server.clone(),
            Step::Act(who, freshness, writes) => self.act(*who, *freshness, *writes),
            Step::Wait(seconds) => self.server.seconds += seconds,
            Step::Edit(_) | Step::Ask(_) | Step::Hold(_) | Step::LoseStatus => self.people(step),
            Step::Assign(_) | Step::Leave | Step::DeleteNewest => self.others(step),
        }
    }

    /// Writes to the definition.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the other steps are other functions")]
    fn people(&mut self, step: &Step) {
        let server = &mut self.server;
        server.version += 1;
        match step {
            Step::Edit(letter) => server.spec = *letter,
            Step::Ask(number) => server.rollback = Some(number.to_string()),
            Step::Hold(number) => server.hold = number.map(|it| it.to_string()),
            Step::LoseStatus => (server.last_issued, server.serving) = (None, None),
            other => panic!("{other:?} is nothing that people do to a definition"),
        }
    }

    /// Writes to instances and revisions.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the other steps are other functions")]
    fn others(&mut self, step: &Step) {
        let server = &mut self.server;
        match step {
            // The fleet assigns what is there to stay.
            Step::Assign(at) => {
                let unmarked: Vec<_> =
                    server.revisions.values().filter(|it| it.unused_since.is_none()).collect();
                let chosen = unmarked.get(at % unmarked.len().max(1)).map(|it| it.digest);
                server.instances.extend(chosen);
            }
            Step::Leave => drop(server.instances.pop_first()),
            _ => {
                let newest = server.revisions.keys().next_back().copied();
                if newest.is_some_and(|it| server.crd == Some(it)) {
                    server.revisions.pop_last();
                }
            }
        }
    }

    /// A live look may be overtaken by the other controller's writes, but not by a wish to use what it prunes.
    fn act(&mut self, who: usize, freshness: Freshness, writes: usize) {
        let seen = self.seen[who].clone();
        let is_overtaken = seen.instances != self.server.instances || seen.hold != self.server.hold;
        let freshness = if is_overtaken { Freshness::Cached } else { freshness };
        let issue = seen.decide(freshness, self.limit);
        for action in issue.actions.iter().take(writes) {
            if self.server.perform(action, seen.version).is_none() {
                return;
            }
        }
        if issue.actions.len() <= writes {
            self.server.publish(&issue.report);
        }
    }

    /// Controllers go on until nothing is left to do.
    fn settle(&mut self) -> Issue {
        for _ in 0..60 {
            self.server.seconds += 61;
            self.seen[0] = self.server.clone();
            let issue = self.server.decide(Freshness::Live, self.limit);
            if issue.actions.is_empty() {
                return issue;
            }
            self.act(0, Freshness::Live, usize::MAX);
        }
        panic!("does not come to rest: {:?}", self.server);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn v9_and_v30_hold_whatever_happens(steps in prop::collection::vec(step(), 1..80), limit in 0u64..3) {
        let mut play = Play { server: Server::new(), seen: [Server::new(), Server::new()], limit };
        for step in &steps {
            play.step(step);
        }
        let issue = play.settle();
        let server = &play.server;
        prop_assert_eq!(&issue.report.standing, &Standing::Issued);
        prop_assert_eq!(issue.report.latest.map(|it| it.digest), Some(digest(server.spec)));
        prop_assert!(server.rollback.is_none() && server.restoring.is_none());
        prop_assert!(!issue.report.needs_live_look && issue.report.next_look.is_none());
        for (number, revision) in &server.revisions {
            prop_assert_eq!(server.ever.get(number), Some(&revision.digest));
            prop_assert_eq!(revision.presence, Presence::Live);
            if let Some(from) = revision.restored_from {
                prop_assert_eq!(server.ever.get(&from), Some(&revision.digest));
            }
        }
    }
}
