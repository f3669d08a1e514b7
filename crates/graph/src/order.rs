//! In which order nodes come, given what each depends on.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// The order of a graph's nodes, by position in the definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Dependencies first; the author's order where it does not matter.
    pub sequence: Vec<usize>,
    /// Nodes that may be worked on at once: each level depends on earlier ones only.
    pub levels: Vec<Vec<usize>>,
    /// By node, from 1: deletion takes the highest wave first, and nothing in a wave depends on anything in the same.
    pub waves: Vec<usize>,
}

/// Nodes that depend on each other in a circle; the first is also the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cycle(pub(crate) Vec<usize>);

impl Order {
    /// Orders nodes by what each depends on.
    pub(crate) fn of(dependencies: &[BTreeSet<usize>]) -> Result<Self, Cycle> {
        let dependents = reversed(dependencies);
        let sequence = sequence(dependencies, &dependents);
        if sequence.len() < dependencies.len() {
            return Err(cycle(dependencies, &sequence));
        }
        let depths = longest(sequence.iter(), dependencies);
        let heights = longest(sequence.iter().rev(), &dependents);
        let deepest = heights.iter().max().copied().unwrap_or(0);
        let mut levels = vec![Vec::new(); depths.iter().max().map_or(0, |it| it + 1)];
        for node in 0..dependencies.len() {
            levels[depths[node]].push(node);
        }
        let waves = heights.iter().map(|height| deepest - height + 1).collect();
        Ok(Self { sequence, levels, waves })
    }
}

fn reversed(edges: &[BTreeSet<usize>]) -> Vec<BTreeSet<usize>> {
    let mut reversed = vec![BTreeSet::new(); edges.len()];
    for (from, targets) in edges.iter().enumerate() {
        for to in targets {
            reversed[*to].insert(from);
        }
    }
    reversed
}

/// As many nodes as can be ordered, the earliest in the definition first.
fn sequence(dependencies: &[BTreeSet<usize>], dependents: &[BTreeSet<usize>]) -> Vec<usize> {
    let mut missing: Vec<usize> = dependencies.iter().map(BTreeSet::len).collect();
    let mut free: BinaryHeap<_> =
        (0..missing.len()).filter(|node| missing[*node] == 0).map(Reverse).collect();
    let mut sequence = Vec::with_capacity(missing.len());
    while let Some(Reverse(node)) = free.pop() {
        sequence.push(node);
        for dependent in &dependents[node] {
            missing[*dependent] -= 1;
            if missing[*dependent] == 0 {
                free.push(Reverse(*dependent));
            }
        }
    }
    sequence
}

/// By node, the length of the longest way along `edges`; `sequence` has the targets of edges first.
fn longest<'s>(sequence: impl Iterator<Item = &'s usize>, edges: &[BTreeSet<usize>]) -> Vec<usize> {
    let mut lengths = vec![0; edges.len()];
    for node in sequence {
        lengths[*node] = edges[*node].iter().map(|target| lengths[*target] + 1).max().unwrap_or(0);
    }
    lengths
}

/// Some circle among the nodes that could not be ordered: each of those depends on another of them.
fn cycle(dependencies: &[BTreeSet<usize>], ordered: &[usize]) -> Cycle {
    let stuck: BTreeSet<usize> = (0..dependencies.len()).filter(|node| !ordered.contains(node)).collect();
    let mut way: Vec<usize> = stuck.first().copied().into_iter().collect();
    while let Some(next) =
        way.last().and_then(|node| dependencies[*node].intersection(&stuck).next().copied())
    {
        let seen = way.iter().position(|node| *node == next);
        way.push(next);
        if let Some(start) = seen {
            return Cycle(way.split_off(start));
        }
    }
    Cycle(way)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(dependencies: &[&[usize]]) -> Result<Order, Cycle> {
        Order::of(&dependencies.iter().map(|it| it.iter().copied().collect()).collect::<Vec<_>>())
    }

    #[test]
    fn the_authors_order_stays_where_it_can() {
        let check = |dependencies: &[&[usize]], expect: &[usize]| {
            assert_eq!(order(dependencies).unwrap().sequence, expect);
        };
        check(&[], &[]);
        check(&[&[], &[], &[]], &[0, 1, 2]);
        check(&[&[2], &[], &[]], &[1, 2, 0]);
        check(&[&[1], &[2], &[]], &[2, 1, 0]);
        check(&[&[], &[0], &[0], &[1, 2]], &[0, 1, 2, 3]);
    }

    #[test]
    fn levels_and_waves() {
        // 0 ← 1 ← 3, 0 ← 2, 4 alone
        let order = order(&[&[], &[0], &[0], &[1], &[]]).unwrap();
        assert_eq!(order.levels, [vec![0, 4], vec![1, 2], vec![3]]);
        assert_eq!(order.waves, [1, 2, 3, 3, 3]);
    }

    #[test]
    fn cycles_are_named() {
        let check = |dependencies: &[&[usize]], expect: &[usize]| {
            assert_eq!(order(dependencies), Err(Cycle(expect.to_vec())));
        };
        check(&[&[0]], &[0, 0]);
        check(&[&[1], &[0]], &[0, 1, 0]);
        check(&[&[1], &[2], &[3], &[1]], &[1, 2, 3, 1]);
    }
}
