//! Fleets written down in a few words, for tests.

use jiff::{SignedDuration, Timestamp};
use krono_cel::Type;
use krono_history::{Digest, RevisionNumber};
use serde_json::{Value, json};

use crate::assignment::Assignment;
use crate::fleet::*;
use crate::gate::Gates;
use crate::mark::Mark;
use crate::policy::{Policy, RollbackMode};
use crate::{Decision, FailureTold, Phase, Standing, decide, rehearse_at_rest};

/// A content; a letter stands for it.
pub(crate) fn content(letter: char) -> Digest {
    Digest::of_content("test", &json!(letter.to_string()))
}

pub(crate) fn letter(digest: Digest) -> char {
    ('a'..='z').find(|it| content(*it) == digest).unwrap()
}

/// `3c` is revision 3 with content c.
pub(crate) fn assignment(text: &str) -> Assignment {
    let (number, letter) = text.split_at(text.len() - 1);
    let number = RevisionNumber::new(number.parse().unwrap()).unwrap();
    Assignment { number, digest: content(letter.chars().next().unwrap()) }
}

pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// An instance that owns what it holds.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) member: Member<'static>,
    pub(crate) name: String,
    pub(crate) object: Value,
    pub(crate) namespace_labels: Value,
    /// Whether it has come to what it is assigned to, whatever it was seen at before.
    pub(crate) is_there: bool,
}

impl Written {
    /// `web` and words: `a` runs content a and was observed there, `-` is new, `b<a@100` was admitted to b from a at second 100 (`!` at
    /// the end: excused), `obs@150` was observed there, `was=a@5` was last
    /// observed at a, `unready@160`, `error@160`, `pinned`, `order=-1`, `edited`, `created=5`,
    /// `hindered=60`, `label=ring:0`, `team=core` (a label of the namespace).
    pub(crate) fn new(text: &str) -> Self {
        let mut words = text.split_whitespace();
        let name = words.next().unwrap().to_owned();
        let member = Member {
            namespace: "",
            name: "",
            created: at(0),
            assigned: None,
            admission: None,
            observed: None,
            health: Health::Ready,
            hindered: SignedDuration::ZERO,
            stance: Stance::Auto,
            order: 0,
            is_edited: false,
            has_failed: false,
            object: &Value::Null,
            namespace_labels: &Value::Null,
        };
        let mut written =
            Self { member, name, object: json!({}), namespace_labels: Value::Null, is_there: false };
        words.for_each(|word| written.read(word));
        written.object["metadata"]["name"] = json!(written.name);
        written
    }

    fn read(&mut self, word: &str) {
        let second = |word: &str| at(word.parse().unwrap());
        let (key, value) = word.split_once(['@', '=']).unwrap_or((word, ""));
        match key {
            "-" => self.member.assigned = None,
            "obs" => self.observe(second(value)),
            "was" => {
                let (digest, since) = value.split_once('@').unwrap();
                let digest = content(digest.chars().next().unwrap());
                self.member.observed = Some(Observed { digest, since: second(since) });
            }
            "unready" => self.member.health = Health::Unready(second(value)),
            "error" => self.member.health = Health::Error(second(value)),
            "pinned" => self.member.stance = Stance::Pinned,
            "manual" => self.member.stance = Stance::Manual,
            "paused" => self.member.stance = Stance::Paused,
            "deleting" => self.member.stance = Stance::Deleting,
            "refused" => self.member.stance = Stance::Refused,
            "edited" => self.member.is_edited = true,
            "order" => self.member.order = read_order(value).unwrap(),
            "created" => self.member.created = second(value),
            "hindered" => self.member.hindered = SignedDuration::from_secs(value.parse().unwrap()),
            "label" => {
                let (key, value) = value.split_once(':').unwrap();
                self.object["metadata"]["labels"][key] = json!(value);
            }
            "team" => self.namespace_labels = json!({"team": value}),
            _ => self.assign(key, value),
        }
    }

    pub(crate) fn observe(&mut self, since: Timestamp) {
        self.member.observed = self.member.assigned.map(|digest| Observed { digest, since });
        self.is_there = true;
    }

    fn assign(&mut self, moved: &str, time: &str) {
        let letters: Vec<char> = moved.chars().collect();
        self.member.assigned = Some(content(letters[0]));
        match letters[..] {
            [_] => self.observe(at(0)),
            [_, '<', from] => {
                let is_excused = time.ends_with('!');
                let at = at(time.trim_end_matches('!').parse().unwrap());
                self.member.admission = Some(Admission { at, from: content(from), is_excused });
            }
            _ => panic!("{moved:?} is no assignment"),
        }
    }

    fn lent(&self) -> Member<'_> {
        Member {
            namespace: "",
            name: &self.name,
            object: &self.object,
            namespace_labels: &self.namespace_labels,
            ..self.member.clone()
        }
    }
}

/// A fleet on its way from content a to content b, revision 2, begun at second 10.
#[derive(Clone)]
pub(crate) struct Scene {
    pub(crate) members: Vec<Written>,
    pub(crate) policy: Policy,
    pub(crate) gates: Gates,
    pub(crate) target: Assignment,
    pub(crate) last_good: Option<Assignment>,
    pub(crate) movement: Movement,
    pub(crate) progress: Progress,
    pub(crate) controls: Controls,
    pub(crate) leading_since: i64,
    pub(crate) standstills: Vec<Standstill>,
    pub(crate) definition: Value,
}

pub(crate) const INSTANT: Movement = Movement::Back { mode: RollbackMode::Instant, by: RollbackBy::Person };

impl Scene {
    pub(crate) fn new(members: &[&str]) -> Self {
        Self {
            members: members.iter().map(|it| Written::new(it)).collect(),
            policy: Policy::default(),
            gates: Gates::default(),
            target: assignment("2b"),
            last_good: Some(assignment("1a")),
            movement: Movement::Forward,
            progress: Progress {
                started: at(10),
                is_completed: false,
                restarted: None,
                mark: None,
                waves: 0,
            },
            controls: Controls::default(),
            leading_since: 0,
            standstills: Vec::new(),
            definition: json!({}),
        }
    }

    /// So many instances `i0`, `i1`, … at content a, the first the oldest.
    pub(crate) fn of(count: usize) -> Self {
        let texts: Vec<String> = (0..count).map(|it| format!("i{it} a created={it}")).collect();
        Self::new(&texts.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[expect(clippy::needless_pass_by_value, reason = "tests write it where they need it")]
    pub(crate) fn policy(mut self, policy: Value) -> Self {
        self.policy = Policy::read(&policy).unwrap();
        self
    }

    pub(crate) fn gate(mut self, expression: &str) -> Self {
        self.gates = Gates::compile(&json!([format!("${{{expression}}}")]), &Type::Dyn).unwrap();
        self
    }

    pub(crate) fn marked(mut self, text: &str) -> Self {
        self.progress.mark = Some(Mark::read(text));
        self
    }

    pub(crate) fn decide(&self, now: i64) -> Decision {
        self.with_fleet(|fleet| decide(fleet, &self.policy, &self.gates, at(now)))
    }

    /// What is wrong with the gates if everybody is at rest.
    pub(crate) fn at_rest(&self, now: i64) -> Vec<String> {
        self.with_fleet(|fleet| rehearse_at_rest(fleet, &self.policy, &self.gates, at(now)))
    }

    fn with_fleet<T>(&self, ask: impl FnOnce(&Fleet<'_>) -> T) -> T {
        let members: Vec<Member<'_>> = self.members.iter().map(Written::lent).collect();
        ask(&Fleet {
            members: &members,
            target: self.target,
            last_good: self.last_good,
            movement: self.movement,
            progress: self.progress.clone(),
            controls: self.controls.clone(),
            leadership: Leadership { since: at(self.leading_since), standstills: &self.standstills },
            definition: &self.definition,
        })
    }

    /// The names of those who move.
    pub(crate) fn moves(&self, now: i64) -> String {
        self.names(self.decide(now).moves.iter().map(|it| it.member))
    }

    pub(crate) fn names(&self, members: impl Iterator<Item = usize>) -> String {
        members.map(|it| self.members[it].name.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// How everybody stands.
    pub(crate) fn standings(&self, now: i64) -> String {
        let decision = self.decide(now);
        let shown = |(written, standing): (&Written, &Standing)| format!("{} {standing:?}", written.name);
        self.members.iter().zip(&decision.standings).map(shown).collect::<Vec<_>>().join(", ")
    }

    pub(crate) fn waiting(&self, now: i64) -> Vec<String> {
        let told = self.decide(now).waiting;
        told.iter().map(|it| format!("{} {}: {}", it.told.count, it.wait.as_str(), it.text)).collect()
    }

    pub(crate) fn phase(&self, now: i64) -> Phase {
        self.decide(now).phase
    }

    /// Performs a decision: who moves is admitted, who is new is born, the mark is written.
    pub(crate) fn perform(&mut self, decision: &Decision) {
        for it in &decision.moves {
            let Written { member, is_there, .. } = &mut self.members[it.member];
            *is_there = false;
            member.admission = Some(Admission { at: it.at, from: it.from, is_excused: it.is_excused });
            member.assigned = Some(self.target.digest);
            member.is_edited = false;
            member.hindered = SignedDuration::ZERO;
        }
        for it in &decision.returns {
            let Written { member, is_there, .. } = &mut self.members[it.member];
            *is_there = false;
            let from = self.target.digest;
            member.admission = Some(Admission { at: self.progress.started, from, is_excused: false });
            member.assigned = Some(it.to);
        }
        for it in &decision.births {
            let Written { member, is_there, .. } = &mut self.members[it.member];
            *is_there = false;
            (member.assigned, member.admission) = (Some(it.on.digest), None);
        }
        for (at, written) in self.members.iter_mut().enumerate() {
            let counts = |it: &&FailureTold| it.member == at && !it.is_excused;
            written.member.has_failed = decision.failures.iter().any(|it| counts(&it));
        }
        self.progress.mark = self.progress.mark.take().or_else(|| decision.mark.clone());
        self.progress.is_completed |= decision.phase == Phase::Completed;
    }

    /// What counted before does not any more.
    pub(crate) fn forget_failures(&mut self) {
        self.members.iter_mut().for_each(|it| it.member.has_failed = false);
    }

    /// All who were admitted are observed.
    pub(crate) fn arrive(&mut self, now: i64) {
        for written in &mut self.members {
            if !written.is_there {
                written.observe(at(now));
                written.member.health = Health::Ready;
            }
        }
    }
}
