//! Changes, and the verdict they add up to.

use std::fmt;

/// One change between two schemas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The field, such as `spec.ports[].name`; `{}` stands for the values of a map.
    pub path: String,
    /// What changed.
    pub kind: ChangeKind,
    /// Whether objects can break by it.
    pub effect: Effect,
    /// What it was, where there is something to say.
    pub old: String,
    /// What it is, where there is something to say.
    pub new: String,
}

/// Whether objects can break by a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Some object that was valid is refused or loses a field, or some change that was allowed is refused.
    Breaking,
    /// No object notices.
    Compatible,
}

/// All changes between two schemas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    changes: Vec<Change>,
}

/// How many changes a summary names.
const SUMMARY: usize = 3;

impl Verdict {
    pub(super) fn new(changes: Vec<Change>) -> Self {
        Self { changes }
    }

    /// All changes, in the order of the fields.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The changes that objects can break by.
    pub fn breaking(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(|it| it.effect == Effect::Breaking)
    }

    /// Whether no change is breaking.
    pub fn is_compatible(&self) -> bool {
        self.breaking().next().is_none()
    }
}

/// The first breaking changes in one line.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_compatible() {
            return f.write_str("no breaking changes");
        }
        for (index, change) in self.breaking().take(SUMMARY).enumerate() {
            let separator = if index > 0 { "; " } else { "" };
            write!(f, "{separator}{change}")?;
        }
        match self.breaking().count().saturating_sub(SUMMARY) {
            0 => Ok(()),
            more => write!(f, "; and {more} more changes"),
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, kind, old, new, .. } = self;
        if !path.is_empty() {
            write!(f, "{path}: ")?;
        }
        f.write_str(kind.words())?;
        match (old.as_str(), new.as_str()) {
            ("", "") => Ok(()),
            ("", new) => write!(f, " ({new})"),
            (old, "") => write!(f, " (was {old})"),
            (old, new) if old == new => write!(f, " ({old})"),
            (old, new) => write!(f, " from {old} to {new}"),
        }
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident $name:literal $words:literal,)*) => {
        /// What changed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ChangeKind {
            $($(#[$doc])* #[doc = $words] $variant,)*
        }

        impl ChangeKind {
            /// The name for programs; those that kro has too are kro's.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// What happened, in words.
            pub fn words(self) -> &'static str {
                match self {
                    $(Self::$variant => $words,)*
                }
            }
        }
    };
}

kinds! {
    PropertyRemoved "PROPERTY_REMOVED" "property was removed",
    PropertyAdded "PROPERTY_ADDED" "property was added",
    TypeChanged "TYPE_CHANGED" "type changed",
    NullableAdded "NULLABLE_ADDED" "null became valid",
    NullableRemoved "NULLABLE_REMOVED" "null is no longer valid",
    EmbeddedResourceAdded "EMBEDDED_RESOURCE_ADDED" "must now be a Kubernetes object",
    EmbeddedResourceRemoved "EMBEDDED_RESOURCE_REMOVED" "need no longer be a Kubernetes object",
    RequiredAdded "REQUIRED_ADDED" "field is newly required",
    RequiredRemoved "REQUIRED_REMOVED" "field is no longer required",
    RequiredDefaultRemoved "REQUIRED_DEFAULT_REMOVED" "required field lost its default",
    DescriptionChanged "DESCRIPTION_CHANGED" "description changed",
    DefaultChanged "DEFAULT_CHANGED" "default changed",
    FormatAdded "FORMAT_ADDED" "format was added",
    FormatChanged "FORMAT_CHANGED" "format changed",
    FormatRemoved "FORMAT_REMOVED" "format was removed",
    PatternAdded "PATTERN_ADDED" "pattern was added",
    PatternChanged "PATTERN_CHANGED" "pattern changed",
    PatternRemoved "PATTERN_REMOVED" "pattern was removed",
    EnumAdded "ENUM_ADDED" "only listed values are allowed now",
    EnumRemoved "ENUM_REMOVED" "values other than the listed ones are allowed now",
    EnumRestricted "ENUM_RESTRICTED" "enum value was removed",
    EnumExpanded "ENUM_EXPANDED" "enum value was added",
    MinimumAdded "MINIMUM_ADDED" "minimum was added",
    MinimumIncreased "MINIMUM_INCREASED" "minimum was increased",
    MinimumDecreased "MINIMUM_DECREASED" "minimum was decreased",
    MinimumRemoved "MINIMUM_REMOVED" "minimum was removed",
    MaximumAdded "MAXIMUM_ADDED" "maximum was added",
    MaximumIncreased "MAXIMUM_INCREASED" "maximum was increased",
    MaximumDecreased "MAXIMUM_DECREASED" "maximum was decreased",
    MaximumRemoved "MAXIMUM_REMOVED" "maximum was removed",
    MultipleOfAdded "MULTIPLE_OF_ADDED" "multipleOf was added",
    MultipleOfChanged "MULTIPLE_OF_CHANGED" "multipleOf changed",
    MultipleOfRemoved "MULTIPLE_OF_REMOVED" "multipleOf was removed",
    MinLengthAdded "MIN_LENGTH_ADDED" "minLength was added",
    MinLengthIncreased "MIN_LENGTH_INCREASED" "minLength was increased",
    MinLengthDecreased "MIN_LENGTH_DECREASED" "minLength was decreased",
    MinLengthRemoved "MIN_LENGTH_REMOVED" "minLength was removed",
    MaxLengthAdded "MAX_LENGTH_ADDED" "maxLength was added",
    MaxLengthIncreased "MAX_LENGTH_INCREASED" "maxLength was increased",
    MaxLengthDecreased "MAX_LENGTH_DECREASED" "maxLength was decreased",
    MaxLengthRemoved "MAX_LENGTH_REMOVED" "maxLength was removed",
    MinItemsAdded "MIN_ITEMS_ADDED" "minItems was added",
    MinItemsIncreased "MIN_ITEMS_INCREASED" "minItems was increased",
    MinItemsDecreased "MIN_ITEMS_DECREASED" "minItems was decreased",
    MinItemsRemoved "MIN_ITEMS_REMOVED" "minItems was removed",
    MaxItemsAdded "MAX_ITEMS_ADDED" "maxItems was added",
    MaxItemsIncreased "MAX_ITEMS_INCREASED" "maxItems was increased",
    MaxItemsDecreased "MAX_ITEMS_DECREASED" "maxItems was decreased",
    MaxItemsRemoved "MAX_ITEMS_REMOVED" "maxItems was removed",
    MinPropertiesAdded "MIN_PROPERTIES_ADDED" "minProperties was added",
    MinPropertiesIncreased "MIN_PROPERTIES_INCREASED" "minProperties was increased",
    MinPropertiesDecreased "MIN_PROPERTIES_DECREASED" "minProperties was decreased",
    MinPropertiesRemoved "MIN_PROPERTIES_REMOVED" "minProperties was removed",
    MaxPropertiesAdded "MAX_PROPERTIES_ADDED" "maxProperties was added",
    MaxPropertiesIncreased "MAX_PROPERTIES_INCREASED" "maxProperties was increased",
    MaxPropertiesDecreased "MAX_PROPERTIES_DECREASED" "maxProperties was decreased",
    MaxPropertiesRemoved "MAX_PROPERTIES_REMOVED" "maxProperties was removed",
    ItemsAdded "ITEMS_ADDED" "elements got a schema",
    ItemsRemoved "ITEMS_REMOVED" "elements lost their schema",
    UniqueItemsAdded "UNIQUE_ITEMS_ADDED" "elements must be unique now",
    UniqueItemsRemoved "UNIQUE_ITEMS_REMOVED" "elements need no longer be unique",
    ListTypeChanged "LIST_TYPE_CHANGED" "list type changed",
    ListMapKeysChanged "LIST_MAP_KEYS_CHANGED" "keys of the list changed",
    MapTypeChanged "MAP_TYPE_CHANGED" "map type changed",
    UnknownFieldsNarrowed "UNKNOWN_FIELDS_NARROWED" "undeclared fields changed",
    UnknownFieldsWidened "UNKNOWN_FIELDS_WIDENED" "undeclared fields changed",
    ValidationAdded "VALIDATION_ADDED" "validation rule was added",
    ValidationChanged "VALIDATION_CHANGED" "validation rule changed",
    ValidationRemoved "VALIDATION_REMOVED" "validation rule was removed",
    AllOfChanged "ALL_OF_CHANGED" "allOf changed",
    AnyOfChanged "ANY_OF_CHANGED" "anyOf changed",
    OneOfChanged "ONE_OF_CHANGED" "oneOf changed",
    NotChanged "NOT_CHANGED" "not changed",
}
