//! Names of revisions, and of what they belong to in labels.

use sha2::{Digest as _, Sha256};

use crate::RevisionNumber;

/// The longest name of an object.
const LONGEST_NAME: usize = 253;
/// The longest value of a label.
const LONGEST_LABEL: usize = 63;
/// How many hexadecimal digits stand for the part that a shortened text lost.
const SUFFIX: usize = 10;

/// The name of a definition's revision: `{rgd}-rev-{n}`.
pub fn definition_revision(definition: &str, number: RevisionNumber) -> String {
    let end = format!("-rev-{number}");
    shortened(definition, LONGEST_NAME - end.len()) + &end
}

/// The name of an instance's input revision: `{instance}-input-rev-{n}`.
pub fn input_revision(instance: &str, number: RevisionNumber) -> String {
    let end = format!("-input-rev-{number}");
    shortened(instance, LONGEST_NAME - end.len()) + &end
}

/// The name of an input revision where an instance of another kind has the shorter one.
pub fn input_revision_of_kind(kind: &str, instance: &str, number: RevisionNumber) -> String {
    input_revision(&format!("{}-{instance}", kind.to_lowercase()), number)
}

/// The value of a label that stands for a name.
pub fn label(name: &str) -> String {
    shortened(name, LONGEST_LABEL)
}

/// Whether a label does not tell all of the name, which then has to stand in an annotation.
pub fn is_shortened_in_label(name: &str) -> bool {
    name.len() > LONGEST_LABEL
}

/// The text itself where there is room for it; else its beginning and a part of its digest.
fn shortened(text: &str, room: usize) -> String {
    if text.len() <= room {
        return text.to_owned();
    }
    let digest = Sha256::digest(text.as_bytes());
    let digits = digest.iter().fold(String::new(), |digits, byte| digits + &format!("{byte:02x}"));
    let beginning = beginning(text, room - SUFFIX - 1);
    format!("{beginning}-{}", &digits[..SUFFIX])
}

/// The first characters, as far as they are within so many bytes; names end in a letter or a digit wherever they are cut.
fn beginning(text: &str, length: usize) -> &str {
    let end = (0..=length).rev().find(|it| text.is_char_boundary(*it)).unwrap_or_default();
    text[..end].trim_end_matches(|it: char| !it.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(number: u64) -> RevisionNumber {
        RevisionNumber::new(number).unwrap()
    }

    fn is_dns_name(name: &str) -> bool {
        let is_plain = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit();
        name.len() <= 253
            && name.split('.').all(|part| {
                part.bytes().all(|it| is_plain(it) || it == b'-')
                    && part.bytes().next().is_some_and(is_plain)
                    && part.bytes().last().is_some_and(is_plain)
            })
    }

    #[test]
    fn v2_names_are_those_of_the_design() {
        assert_eq!(definition_revision("application", number(3)), "application-rev-3");
        assert_eq!(input_revision("my-app", number(12)), "my-app-input-rev-12");
        assert_eq!(
            input_revision_of_kind("Application", "my-app", number(12)),
            "application-my-app-input-rev-12"
        );
        assert_eq!(label("application"), "application");
    }

    #[test]
    fn v2_long_names_are_shortened_with_a_digest() {
        for length in [240, 246, 247, 248, 253] {
            for last in ["a", "-a", ".a"] {
                let long = "a".repeat(length - last.len()) + last;
                let name = definition_revision(&long, number(12));
                assert!(is_dns_name(&name) && name.ends_with("-rev-12"), "{name}");
                assert_eq!(name == format!("{long}-rev-12"), length <= 246, "{name}");
            }
        }
        let cut_at_dots = "a".repeat(230) + &".".repeat(15) + &"b".repeat(8);
        assert!(is_dns_name(&definition_revision(&cut_at_dots, number(1))));
    }

    #[test]
    fn v2_shortened_names_stay_apart() {
        let (one, other) = ("a".repeat(250) + "b", "a".repeat(250) + "c");
        assert_ne!(definition_revision(&one, number(1)), definition_revision(&other, number(1)));
        assert_ne!(definition_revision(&one, number(1)), definition_revision(&one, number(2)));
        assert_ne!(label(&one), label(&other));
        assert_eq!(definition_revision(&one, number(1)), definition_revision(&one, number(1)));
    }

    #[test]
    fn v2_label_values_have_63_characters() {
        let name = "a".repeat(63);
        assert_eq!(label(&name), name);
        assert!(!is_shortened_in_label(&name));
        let longer = name + "a";
        assert!(is_shortened_in_label(&longer));
        assert_eq!(label(&longer).len(), 63);
        let dashes = "a".to_owned() + &"-".repeat(70) + "b";
        assert_eq!(label(&dashes).split_once('-').map(|(start, _)| start), Some("a"));
        assert!(label(&"é".repeat(60)).len() <= 63);
    }
}
