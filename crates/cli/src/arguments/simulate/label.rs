//! `ring=canary:2%`.

use std::str::FromStr;

use super::share::Share;

/// A label, and how many instances have it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LabelShare {
    pub(crate) key: String,
    pub(crate) value: String,
    pub(crate) share: Share,
}

impl FromStr for LabelShare {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        let wrong = || "expected KEY=VALUE:SHARE, such as ring=canary:2%".to_owned();
        let (label, share) = written.rsplit_once(':').ok_or_else(wrong)?;
        let (key, value) = label.split_once('=').filter(|(key, _)| !key.is_empty()).ok_or_else(wrong)?;
        Ok(Self { key: key.to_owned(), value: value.to_owned(), share: share.parse()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_shares() {
        let check = |written: &str, expected: Option<(&str, &str, f64)>| {
            let found = written.parse::<LabelShare>().ok();
            let found = found.as_ref().map(|it| (it.key.as_str(), it.value.as_str(), it.share.0));
            assert_eq!(found, expected, "{written}");
        };
        check("ring=canary:2%", Some(("ring", "canary", 0.02)));
        check("example.com/ring=0:0.5", Some(("example.com/ring", "0", 0.5)));
        check("ring=:1", Some(("ring", "", 1.0)));
        for wrong in ["ring", "ring=canary", "ring:2%", "=a:2%", "ring=canary:", "ring=canary:200%"] {
            check(wrong, None);
        }
    }
}
