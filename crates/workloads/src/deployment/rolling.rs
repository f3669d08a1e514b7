//! The next step of a rolling update, in numbers.

use super::limits::Limits;

/// How large a replica set is meant to be, and how much of it is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) wanted: i32,
    pub(super) available: i32,
}

/// What to change next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The new replica set gets this size.
    New(i32),
    /// The old replica sets get these sizes, in their order.
    Old(Vec<i32>),
    /// Nothing for now.
    Wait,
}

/// The next step; old replica sets come oldest first.
pub(super) fn step(limits: Limits, new: Size, old: &[Size]) -> Step {
    let target = new_size(limits, new.wanted, old.iter().map(|it| it.wanted).sum());
    if target != new.wanted {
        return Step::New(target);
    }
    let smaller = old_sizes(limits, new, old);
    if old.iter().zip(&smaller).any(|(old, smaller)| old.wanted != *smaller) {
        return Step::Old(smaller);
    }
    Step::Wait
}

/// As large as the limits allow now.
pub(super) fn new_size(limits: Limits, new: i32, old: i32) -> i32 {
    if new >= limits.replicas {
        return limits.replicas;
    }
    let room = limits.most().saturating_sub(new.saturating_add(old)).max(0);
    new + room.min(limits.replicas - new)
}

/// Unavailable Pods go first, then as many as may be missing.
fn old_sizes(limits: Limits, new: Size, old: &[Size]) -> Vec<i32> {
    let mut sizes: Vec<i32> = old.iter().map(|it| it.wanted).collect();
    let all = sizes.iter().sum::<i32>() + new.wanted;
    let spare = all - limits.fewest() - (new.wanted - new.available);
    if spare <= 0 {
        return sizes;
    }
    let mut unhealthy = spare;
    for (size, old) in sizes.iter_mut().zip(old) {
        let less = unhealthy.min(old.wanted - old.available).max(0);
        *size -= less;
        unhealthy -= less;
    }
    let available = old.iter().map(|it| it.available).sum::<i32>() + new.available;
    let mut spare = (available - limits.fewest()).max(0);
    for size in &mut sizes {
        let less = spare.min(*size);
        *size -= less;
        spare -= less;
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn limits(replicas: i32, surge: i32, unavailable: i32) -> Limits {
        Limits { replicas, surge, unavailable }
    }

    fn size(wanted: i32, available: i32) -> Size {
        Size { wanted, available }
    }

    #[test]
    fn steps() {
        let check =
            |limits, new, old: &[Size], expect| assert_eq!(step(limits, new, old), expect, "{new:?} {old:?}");
        // The first revision.
        check(limits(3, 1, 0), size(0, 0), &[], Step::New(3));
        check(limits(3, 1, 0), size(3, 1), &[], Step::Wait);
        // One up, one down.
        check(limits(3, 1, 0), size(0, 0), &[size(3, 3)], Step::New(1));
        check(limits(3, 1, 0), size(1, 0), &[size(3, 3)], Step::Wait);
        check(limits(3, 1, 0), size(1, 1), &[size(3, 3)], Step::Old(vec![2]));
        check(limits(3, 1, 0), size(1, 1), &[size(2, 2)], Step::New(2));
        // What is not available anyway goes first, the oldest first.
        check(limits(4, 0, 1), size(0, 0), &[size(2, 1), size(2, 2)], Step::Old(vec![1, 2]));
        // Scaled down meanwhile.
        check(limits(1, 1, 0), size(3, 3), &[], Step::New(1));
    }

    /// A cluster in numbers: replica sets whose Pods become available, or not, in any order.
    #[derive(Clone, Debug)]
    struct Cluster {
        limits: Limits,
        sets: Vec<Size>,
    }

    impl Cluster {
        fn roll(&mut self) {
            let (new, old) = self.sets.split_last().unwrap();
            match step(self.limits, *new, old) {
                Step::New(wanted) => resize(self.sets.last_mut().unwrap(), wanted),
                Step::Old(sizes) => {
                    self.sets.iter_mut().zip(sizes).for_each(|(set, wanted)| resize(set, wanted));
                }
                Step::Wait => {}
            }
        }

        /// One more Pod of a set becomes available.
        fn start(&mut self, index: usize) {
            let set = &mut self.sets[index];
            set.available = (set.available + 1).min(set.wanted);
        }
    }

    /// A replica set removes Pods that are not available before others.
    fn resize(set: &mut Size, wanted: i32) {
        set.available = set.available.min(wanted);
        set.wanted = wanted;
    }

    #[derive(Clone, Debug)]
    enum Event {
        Roll,
        Start(prop::sample::Index),
        NewRevision,
    }

    fn events() -> impl Strategy<Value = Vec<Event>> {
        let event = prop_oneof![
            3 => Just(Event::Roll),
            3 => any::<prop::sample::Index>().prop_map(Event::Start),
            1 => Just(Event::NewRevision),
        ];
        prop::collection::vec(event, 1..120)
    }

    proptest! {
        #[test]
        fn limits_are_kept_and_the_end_is_reached(
            (replicas, surge, unavailable) in (1..20_i32).prop_flat_map(|it| (Just(it), 0..=it, 0..=it)),
            events in events(),
        ) {
            let unavailable = if surge == 0 && unavailable == 0 { 1 } else { unavailable };
            let limits = limits(replicas, surge, unavailable);
            let mut cluster = Cluster { limits, sets: vec![size(replicas, replicas)] };
            for event in events {
                match event {
                    Event::Roll => cluster.roll(),
                    Event::Start(index) => cluster.start(index.index(cluster.sets.len())),
                    Event::NewRevision => cluster.sets.push(size(0, 0)),
                }
                let wanted: i32 = cluster.sets.iter().map(|it| it.wanted).sum();
                let available: i32 = cluster.sets.iter().map(|it| it.available).sum();
                prop_assert!(wanted <= limits.most(), "{cluster:?}");
                prop_assert!(available >= limits.fewest(), "{cluster:?}");
            }
            for _ in 0..200 {
                cluster.roll();
                (0..cluster.sets.len()).for_each(|index| cluster.start(index));
            }
            let (new, old) = cluster.sets.split_last().unwrap();
            prop_assert_eq!(*new, size(replicas, replicas));
            prop_assert!(old.iter().all(|it| it.wanted == 0), "{:?}", old);
        }
    }
}
