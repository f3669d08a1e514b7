//! One column of a table of a built-in kind.

use serde_json::Value;

use super::{Shown, selector};

/// What the name of an object is, as the API server explains it.
pub(crate) const NAME_DESCRIPTION: &str = "Name must be unique within a namespace. Is required when creating resources, although some \
     resources may allow a client to request the generation of an appropriate name automatically. Name is primarily \
     intended for creation idempotence and configuration definition. Cannot be updated. More info: \
     https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

/// One column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heading {
    /// The words at the top, as the server spells them.
    pub(crate) name: &'static str,
    /// OpenAPI type of the cells.
    pub(crate) column_type: &'static str,
    /// OpenAPI format of the cells.
    pub(crate) format: &'static str,
    /// 0 is always shown, higher ones with `-o wide`.
    pub(crate) priority: i32,
    /// What the column shows.
    pub(crate) description: Description,
    cell: Cell,
}

/// Where the description of a column is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Description {
    /// In the schema of the kind, at this place.
    Field(&'static str),
    /// Here.
    Said(&'static str),
}

/// How a cell is found. Places are JSON pointers.
#[derive(Clone, Copy)]
enum Cell {
    /// Text, or something else when there is none.
    Text(&'static str, &'static str),
    /// A number; 0 when there is none.
    Number(&'static str),
    /// Yes or no, and what it is when nothing is said.
    Flag(&'static str, bool),
    /// The length of a list or map.
    Count(&'static str),
    /// How long ago something happened.
    Since(&'static str),
    Told(fn(&Shown<'_>) -> String),
    Computed(fn(&Shown<'_>) -> Value),
}

impl std::fmt::Debug for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Cell")
    }
}

impl Heading {
    /// The name of the object.
    pub(super) const NAME: Self = Self {
        format: "name",
        description: Description::Said(NAME_DESCRIPTION),
        ..Self::text("Name", "/metadata/name")
    };
    /// How old the object is.
    pub(super) const AGE: Self = Self::since("Age", "/metadata/creationTimestamp");

    const fn new(
        name: &'static str,
        column_type: &'static str,
        description: Description,
        cell: Cell,
    ) -> Self {
        Self { name, column_type, format: "", priority: 0, description, cell }
    }

    /// The text at a place; empty when there is none.
    pub(super) const fn text(name: &'static str, place: &'static str) -> Self {
        Self::new(name, "string", Description::Field(place), Cell::Text(place, ""))
    }

    /// The text at a place, or these words when there is none.
    pub(super) const fn text_or(name: &'static str, place: &'static str, missing: &'static str) -> Self {
        Self::new(name, "string", Description::Field(place), Cell::Text(place, missing))
    }

    /// The number at a place.
    pub(super) const fn number(name: &'static str, place: &'static str) -> Self {
        Self::new(name, "integer", Description::Field(place), Cell::Number(place))
    }

    /// The boolean at a place.
    pub(super) const fn flag(name: &'static str, place: &'static str, missing: bool) -> Self {
        Self::new(name, "boolean", Description::Field(place), Cell::Flag(place, missing))
    }

    /// How many items are at a place.
    pub(super) const fn count(name: &'static str, place: &'static str) -> Self {
        Self::new(name, "integer", Description::Field(place), Cell::Count(place))
    }

    /// How long ago the time at a place is.
    pub(super) const fn since(name: &'static str, place: &'static str) -> Self {
        Self::new(name, "string", Description::Field(place), Cell::Since(place))
    }

    /// Text that has to be put together.
    pub(super) const fn told(name: &'static str, tell: fn(&Shown<'_>) -> String) -> Self {
        Self::new(name, "string", Description::Said(""), Cell::Told(tell))
    }

    /// A value that has to be computed.
    pub(super) const fn computed(name: &'static str, compute: fn(&Shown<'_>) -> Value) -> Self {
        Self::new(name, "string", Description::Said(""), Cell::Computed(compute))
    }

    /// The names of the containers of the pod specification that `containers` finds.
    pub(super) const fn containers(tell: fn(&Shown<'_>) -> String) -> Self {
        Self::told("Containers", tell).said("Names of each container in the template.")
    }

    /// The images of these containers.
    pub(super) const fn images(tell: fn(&Shown<'_>) -> String) -> Self {
        Self::told("Images", tell).said("Images referenced by each container in the template.")
    }

    /// With this description.
    pub(super) const fn said(self, description: &'static str) -> Self {
        Self { description: Description::Said(description), ..self }
    }

    /// With the description of the field at this place.
    pub(super) const fn field(self, place: &'static str) -> Self {
        Self { description: Description::Field(place), ..self }
    }

    /// With this type.
    pub(super) const fn typed(self, column_type: &'static str) -> Self {
        Self { column_type, ..self }
    }

    /// With the format of names.
    pub(super) const fn named(self) -> Self {
        Self { format: "name", ..self }
    }

    /// Shown with `-o wide` only.
    pub(super) const fn wide(self) -> Self {
        Self { priority: 1, ..self }
    }

    /// The cell of one object.
    pub(crate) fn cell(&self, shown: &Shown<'_>) -> Value {
        match self.cell {
            Cell::Text(place, missing) => {
                let text = shown.text(place);
                if text.is_empty() { missing.into() } else { text.into() }
            }
            Cell::Number(place) => shown.number(place).into(),
            Cell::Flag(place, missing) => shown.flag(place).unwrap_or(missing).into(),
            Cell::Count(place) => shown.count(place).into(),
            Cell::Since(place) => shown.since(place).into(),
            Cell::Told(tell) => tell(shown).into(),
            Cell::Computed(compute) => compute(shown),
        }
    }
}

/// The names of containers in a list.
pub(super) fn container_names(containers: &[Value]) -> String {
    selector::joined(containers, "name")
}

/// The images of containers in a list.
pub(super) fn container_images(containers: &[Value]) -> String {
    selector::joined(containers, "image")
}
