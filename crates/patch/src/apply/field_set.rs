//! A set of fields: which parts of an object somebody owns.

mod algebra;
#[cfg(test)]
mod tests;

use super::path::PathElement;

/// A set of paths into an object.
///
/// Owning a field does not mean owning what it contains, nor the other way round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSet<'a> {
    /// Sorted by element, each element once. No node is empty: it is a member or has something below.
    nodes: Vec<Node<'a>>,
}

/// A step, whether its target belongs to the set, and the set of what is inside the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node<'a> {
    pub(super) element: PathElement<'a>,
    pub(super) member: bool,
    pub(super) below: FieldSet<'a>,
}

impl Node<'_> {
    fn is_empty(&self) -> bool {
        !self.member && self.below.is_empty()
    }
}

impl<'a> FieldSet<'a> {
    /// The empty set.
    pub const fn new() -> Self {
        Self { nodes: Vec::new() }
    }

    /// The set of these paths; the empty path, the whole object, belongs to nobody and is skipped.
    pub fn of(paths: impl IntoIterator<Item = Vec<PathElement<'a>>>) -> Self {
        let mut set = Self::new();
        for path in paths {
            set.insert(path);
        }
        set
    }

    /// The set of these paths of field names.
    pub fn of_fields<const N: usize>(paths: [&[&'a str]; N]) -> Self {
        Self::of(paths.into_iter().map(|path| path.iter().map(|name| PathElement::field(*name)).collect()))
    }

    /// Whether nothing is in the set.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// How many paths are in the set.
    pub fn len(&self) -> usize {
        self.nodes.iter().map(|node| usize::from(node.member) + node.below.len()).sum()
    }

    /// Whether the path is in the set.
    pub fn contains(&self, path: &[PathElement<'_>]) -> bool {
        match path {
            [] => false,
            [last] => self.has(last),
            [first, rest @ ..] => self.below(first).is_some_and(|below| below.contains(rest)),
        }
    }

    /// Adds a path.
    pub fn insert(&mut self, path: impl IntoIterator<Item = PathElement<'a>>) {
        let mut path = path.into_iter();
        let Some(first) = path.next() else { return };
        let mut node = self.descend(first);
        for element in path {
            node = node.below.descend(element);
        }
        node.member = true;
    }

    /// Every path, those of one level before those below them.
    pub fn paths(&self) -> Vec<Vec<PathElement<'a>>> {
        let mut paths = Vec::new();
        self.collect_paths(&mut Vec::new(), &mut paths);
        paths
    }

    /// The same set, borrowing nothing.
    pub fn into_owned(self) -> FieldSet<'static> {
        let own = |node: Node<'a>| Node {
            element: node.element.into_owned(),
            member: node.member,
            below: node.below.into_owned(),
        };
        FieldSet { nodes: self.nodes.into_iter().map(own).collect() }
    }

    pub(super) fn nodes(&self) -> &[Node<'a>] {
        &self.nodes
    }

    /// Lets `change` rewrite every node; a node may become a member, or lose what is below it.
    pub(super) fn change_nodes(&mut self, mut change: impl FnMut(&mut Node<'a>)) {
        self.nodes.iter_mut().for_each(&mut change);
        self.nodes.retain(|node| !node.is_empty());
    }

    pub(super) fn node(&self, element: &PathElement<'_>) -> Option<&Node<'a>> {
        // Both sides of the comparison may borrow from different values; elements are covariant.
        self.nodes.binary_search_by(|node| node.element.cmp(element)).ok().map(|at| &self.nodes[at])
    }

    pub(super) fn has(&self, element: &PathElement<'_>) -> bool {
        self.node(element).is_some_and(|node| node.member)
    }

    /// What is inside of the part that `element` leads to.
    pub(super) fn below(&self, element: &PathElement<'_>) -> Option<&FieldSet<'a>> {
        self.node(element).map(|node| &node.below)
    }

    /// Adds a part and what is owned inside of it; nothing happens when that is nothing.
    pub(super) fn add(&mut self, element: PathElement<'a>, member: bool, below: FieldSet<'a>) {
        if !member && below.is_empty() {
            return;
        }
        if self.nodes.last().is_none_or(|last| last.element < element) {
            return self.nodes.push(Node { element, member, below });
        }
        let node = self.descend(element);
        node.member |= member;
        node.below.unite(below);
    }

    fn descend(&mut self, element: PathElement<'a>) -> &mut Node<'a> {
        let found = self.nodes.binary_search_by(|node| node.element.cmp(&element));
        let at = found.unwrap_or_else(|at| {
            self.nodes.insert(at, Node { element, member: false, below: FieldSet::new() });
            at
        });
        &mut self.nodes[at]
    }

    fn collect_paths(&self, prefix: &mut Vec<PathElement<'a>>, paths: &mut Vec<Vec<PathElement<'a>>>) {
        for node in self.nodes.iter().filter(|node| node.member) {
            paths.push(prefix.iter().chain([&node.element]).cloned().collect());
        }
        for node in &self.nodes {
            prefix.push(node.element.clone());
            node.below.collect_paths(prefix, paths);
            prefix.pop();
        }
    }
}
