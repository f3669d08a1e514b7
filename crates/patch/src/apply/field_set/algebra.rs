//! Union, intersection and difference of sets, each in one pass over both.

use std::cmp::Ordering;

use super::{FieldSet, Node};

impl<'a> FieldSet<'a> {
    /// What is in either set.
    #[must_use]
    pub fn union(&self, other: &FieldSet<'a>) -> FieldSet<'a> {
        let mut result = self.clone();
        result.unite(other.clone());
        result
    }

    /// What is in both sets.
    #[must_use]
    pub fn intersection(&self, other: &FieldSet<'_>) -> FieldSet<'a> {
        let mut others = other.nodes.iter().peekable();
        let mut nodes = Vec::new();
        for node in &self.nodes {
            while others.next_if(|other| other.element < node.element).is_some() {}
            let Some(other) = others.next_if(|other| other.element == node.element) else { continue };
            let (member, below) = (node.member && other.member, node.below.intersection(&other.below));
            if member || !below.is_empty() {
                nodes.push(Node { element: node.element.clone(), member, below });
            }
        }
        FieldSet { nodes }
    }

    /// What is in this set and not in the other; taking away a field leaves what is inside of it.
    #[must_use]
    pub fn difference(&self, other: &FieldSet<'_>) -> FieldSet<'a> {
        let mut result = self.clone();
        result.subtract(other);
        result
    }

    /// What is in this set and is neither in the other nor inside of what is in the other.
    #[must_use]
    pub fn difference_with_contents(&self, other: &FieldSet<'_>) -> FieldSet<'a> {
        let mut result = self.clone();
        result.subtract_with_contents(other);
        result
    }

    /// Whether everything in this set is in the other.
    pub fn is_subset(&self, other: &FieldSet<'_>) -> bool {
        let mut others = other.nodes.iter().peekable();
        self.nodes.iter().all(|node| {
            while others.next_if(|other| other.element < node.element).is_some() {}
            let found = others.next_if(|other| other.element == node.element);
            found.is_some_and(|other| (!node.member || other.member) && node.below.is_subset(&other.below))
        })
    }

    /// Adds what is in the other set.
    pub fn unite(&mut self, other: FieldSet<'a>) {
        if self.nodes.is_empty() {
            self.nodes = other.nodes;
            return;
        }
        if other.nodes.is_empty() {
            return;
        }
        let capacity = self.nodes.len().max(other.nodes.len());
        let mine = std::mem::replace(&mut self.nodes, Vec::with_capacity(capacity));
        let (mut mine, mut others) = (mine.into_iter().peekable(), other.nodes.into_iter().peekable());
        while let (Some(left), Some(right)) = (mine.peek(), others.peek()) {
            let order = left.element.cmp(&right.element);
            let left = if order.is_le() { mine.next() } else { None };
            let right = if order.is_ge() { others.next() } else { None };
            self.nodes.extend(united(left, right));
        }
        self.nodes.extend(mine.chain(others));
    }

    /// Takes away what is in the other set.
    pub fn subtract(&mut self, other: &FieldSet<'_>) {
        self.subtract_nodes(other, |node, other| {
            node.member &= !other.member;
            node.below.subtract(&other.below);
        });
    }

    /// Takes away what is in the other set and everything inside of it.
    pub fn subtract_with_contents(&mut self, other: &FieldSet<'_>) {
        self.subtract_nodes(other, |node, other| {
            if other.member {
                node.member = false;
                node.below = FieldSet::new();
            } else {
                node.below.subtract_with_contents(&other.below);
            }
        });
    }

    fn subtract_nodes(&mut self, other: &FieldSet<'_>, subtract: impl Fn(&mut Node<'a>, &Node<'_>)) {
        let mut others = other.nodes.iter().peekable();
        self.nodes.retain_mut(|node| {
            while let Some(other) = others.peek() {
                match other.element.cmp(&node.element) {
                    Ordering::Less => others.next(),
                    Ordering::Equal => {
                        subtract(node, other);
                        break;
                    }
                    Ordering::Greater => break,
                };
            }
            !node.is_empty()
        });
    }
}

fn united<'a>(left: Option<Node<'a>>, right: Option<Node<'a>>) -> Option<Node<'a>> {
    match (left, right) {
        (Some(mut left), Some(right)) => {
            left.member |= right.member;
            left.below.unite(right.below);
            Some(left)
        }
        (left, right) => left.or(right),
    }
}
