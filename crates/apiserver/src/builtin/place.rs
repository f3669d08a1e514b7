//! Where in an object we are.

use std::fmt;

/// A path from the root, kept on the stack of the walk that makes it: no allocation until it is printed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    parent: Option<&'a Place<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Root,
    Field(&'a str),
    Index(usize),
    Key(&'a str),
}

impl<'a> Place<'a> {
    /// The object itself.
    pub(super) const ROOT: Place<'static> = Place { parent: None, step: Step::Root };

    /// A field, or several with dots between them.
    pub(super) fn field(&'a self, name: &'a str) -> Place<'a> {
        Place { parent: Some(self), step: Step::Field(name) }
    }

    /// An element of a list.
    pub(super) fn index(&'a self, index: usize) -> Place<'a> {
        Place { parent: Some(self), step: Step::Index(index) }
    }

    /// An entry of a map.
    pub(super) fn key(&'a self, key: &'a str) -> Place<'a> {
        Place { parent: Some(self), step: Step::Key(key) }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(formatter)?;
        }
        let first = matches!(self.parent, Some(Place { step: Step::Root, .. }));
        match self.step {
            Step::Root => Ok(()),
            Step::Field(name) if first => formatter.write_str(name),
            Step::Field(name) => write!(formatter, ".{name}"),
            Step::Index(index) => write!(formatter, "[{index}]"),
            Step::Key(key) => write!(formatter, "[{key}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_printed_as_the_server_prints_them() {
        let ports = Place::ROOT.field("spec.ports");
        assert_eq!(ports.index(0).field("name").to_string(), "spec.ports[0].name");
        assert_eq!(Place::ROOT.field("data").key("a").to_string(), "data[a]");
        assert_eq!(Place::ROOT.to_string(), "");
    }
}
