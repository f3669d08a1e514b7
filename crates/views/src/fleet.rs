//! What an edit of a definition would do to all of its instances, for people and for programs.

mod body;
mod group;
mod json;
mod text;

use krono_planner::preview::{Course, Effect, Forecast, KindEffect};

pub use json::json;
pub use text::{Detail, text};

/// What an edit of one definition would do.
#[derive(Clone, Debug)]
pub struct FleetPlan {
    /// The name of the definition.
    pub definition: String,
    /// The kind of its instances.
    pub kind: String,
    /// What becomes of that kind.
    pub effect: KindEffect,
    /// Whether all this waits for somebody to ask for the revision.
    pub is_pending: bool,
    /// What becomes of its instances.
    pub instances: Vec<InstancePlan>,
}

/// What an edit would do to one instance.
#[derive(Clone, Debug)]
pub struct InstancePlan {
    /// Its namespace; empty where it has none.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Where it would be.
    pub course: Course,
    /// What would happen.
    pub forecast: Forecast,
}

impl InstancePlan {
    /// Namespace and name, as people write them.
    pub fn title(&self) -> String {
        if self.namespace.is_empty() {
            self.name.clone()
        } else {
            format!("{}/{}", self.namespace, self.name)
        }
    }
}

/// How much an edit would do, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// All instances.
    pub instances: usize,
    /// Those to which nothing happens.
    pub unchanged: usize,
    /// Those to which something happens.
    pub changed: usize,
    /// Those of which something would be lost, or has to be.
    pub destructive: usize,
    /// Those that would no longer be as they should.
    pub failing: usize,
    /// Those whose users want them left alone.
    pub suspended: usize,
    /// Others that are not made with the edit.
    pub staying: usize,
    /// Resources made.
    pub created: usize,
    /// Resources changed.
    pub updated: usize,
    /// Resources deleted.
    pub deleted: usize,
    /// Resources left behind.
    pub released: usize,
    /// Changes that the API server refuses.
    pub refused: usize,
    /// Resources that are about to change whatever the edit.
    pub regardless: usize,
}

impl FleetPlan {
    /// The numbers.
    pub fn summary(&self) -> Summary {
        self.instances.iter().fold(Summary::default(), Summary::with)
    }

    /// Whether nothing would happen to anything.
    pub fn is_unchanged(&self) -> bool {
        self.effect == KindEffect::Unchanged && self.instances.iter().all(|it| it.forecast.is_unchanged())
    }

    /// Whether something would be lost.
    pub fn is_destructive(&self) -> bool {
        self.instances.iter().any(|it| it.forecast.is_destructive())
    }
}

impl Summary {
    fn with(mut self, instance: &InstancePlan) -> Self {
        let (one, forecast) = (usize::from, &instance.forecast);
        self.instances += 1;
        self.unchanged += one(forecast.is_unchanged());
        self.changed += one(!forecast.is_unchanged());
        self.destructive += one(forecast.is_destructive());
        self.failing += one(forecast.failure.is_some() || !forecast.objections.is_empty());
        self.suspended += one(forecast.is_suspended);
        self.staying += one(instance.course.stays.is_some() && !forecast.is_suspended);
        self.regardless += forecast.regardless;
        for change in &forecast.changes {
            let count = match change.effect {
                Effect::Create => &mut self.created,
                Effect::Update => &mut self.updated,
                Effect::Delete => &mut self.deleted,
                Effect::Release => &mut self.released,
                Effect::Refused(_) => &mut self.refused,
            };
            *count += 1;
        }
        self
    }

    /// How many requests the changes take.
    pub fn writes(&self) -> usize {
        self.created + self.updated + self.deleted + self.released
    }

    /// The numbers of two fleets together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            instances: self.instances + other.instances,
            unchanged: self.unchanged + other.unchanged,
            changed: self.changed + other.changed,
            destructive: self.destructive + other.destructive,
            failing: self.failing + other.failing,
            suspended: self.suspended + other.suspended,
            staying: self.staying + other.staying,
            created: self.created + other.created,
            updated: self.updated + other.updated,
            deleted: self.deleted + other.deleted,
            released: self.released + other.released,
            refused: self.refused + other.refused,
            regardless: self.regardless + other.regardless,
        }
    }
}
