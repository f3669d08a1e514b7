//! Where in a value or a schema we are.

use std::fmt;

/// A path from the root, kept on the stack of the walk that makes it: no allocation until it is printed.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    segment: Segment<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Segment<'a> {
    Root(&'a str),
    Field(&'a str),
    Index(usize),
    Key(&'a str),
}

impl<'a> Path<'a> {
    /// The root of a value.
    pub const ROOT: Path<'static> = Path { parent: None, segment: Segment::Root("") };

    /// A root that has a name of its own.
    pub fn named(name: &'a str) -> Self {
        Self { parent: None, segment: Segment::Root(name) }
    }

    /// A field of an object: `.name`.
    #[must_use]
    pub fn field(&'a self, name: &'a str) -> Path<'a> {
        Path { parent: Some(self), segment: Segment::Field(name) }
    }

    /// An element of a list: `[3]`.
    #[must_use]
    pub fn index(&'a self, index: usize) -> Path<'a> {
        Path { parent: Some(self), segment: Segment::Index(index) }
    }

    /// An entry of a map: `[key]`.
    #[must_use]
    pub fn key(&'a self, key: &'a str) -> Path<'a> {
        Path { parent: Some(self), segment: Segment::Key(key) }
    }

    /// Whether this is the root of the value.
    pub(crate) fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    /// The path as the `OpenAPI` validator of Kubernetes prints it: map keys as fields, and a leading dot
    /// when the first step is a map key.
    pub(crate) fn dotted(&self) -> String {
        let mut text = String::new();
        self.push_dotted(&mut text);
        text
    }

    fn push_dotted(&self, text: &mut String) {
        if let Some(parent) = self.parent {
            parent.push_dotted(text);
        }
        match self.segment {
            Segment::Root(name) => text.push_str(name),
            Segment::Field(name) if text.is_empty() => text.push_str(name),
            Segment::Field(name) | Segment::Key(name) => text.extend([".", name]),
            Segment::Index(index) => text.extend(["[", &index.to_string(), "]"]),
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(formatter)?;
        }
        match self.segment {
            Segment::Root(name) => formatter.write_str(name),
            Segment::Field(name) if self.follows_nothing() => formatter.write_str(name),
            Segment::Field(name) => write!(formatter, ".{name}"),
            Segment::Index(index) => write!(formatter, "[{index}]"),
            Segment::Key(key) => write!(formatter, "[{key}]"),
        }
    }
}

impl Path<'_> {
    fn follows_nothing(&self) -> bool {
        matches!(self.parent, None | Some(Path { segment: Segment::Root(""), .. }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_styles() {
        let spec = Path::ROOT.field("spec");
        let ports = spec.field("ports");
        let port = ports.index(0);
        let labels = port.key("app");
        assert_eq!(labels.to_string(), "spec.ports[0][app]");
        assert_eq!(labels.dotted(), "spec.ports[0].app");
        assert_eq!(Path::ROOT.key("a").dotted(), ".a");
        assert_eq!(Path::named("root").field("a").to_string(), "root.a");
    }
}
