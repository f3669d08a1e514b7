//! Tokens that stand in a file, each with its user.

use std::collections::HashMap;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::csv::{self, CsvError};
use super::{ANONYMOUS, UNAUTHENTICATED, with_authenticated_group};
use crate::rbac::User;

/// Users by their bearer tokens.
///
/// Only digests are kept, so that how long a search takes says nothing about a token.
#[derive(Debug)]
pub struct Tokens {
    users: HashMap<[u8; 32], Arc<User>>,
    anonymous: Arc<User>,
}

/// Why a token file cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokensError {
    /// It is not written as CSV.
    #[error("the token file is not CSV: {0}")]
    Malformed(#[from] CsvError),
    /// A line says too little.
    #[error(
        "line {line} of the token file has {columns} columns; at least token, user name and user uid are needed"
    )]
    Columns {
        /// Counted from 1.
        line: usize,
        /// How many there are.
        columns: usize,
    },
    /// A line has no token.
    #[error("line {0} of the token file has an empty token; give it one or remove the line")]
    Empty(usize),
    /// Two lines have the same token.
    #[error("line {0} of the token file repeats a token of an earlier line; a token belongs to one user")]
    Repeated(usize),
}

impl Default for Tokens {
    fn default() -> Self {
        let anonymous =
            User { name: ANONYMOUS.to_owned(), groups: vec![UNAUTHENTICATED.to_owned()], ..User::default() };
        Self { users: HashMap::new(), anonymous: Arc::new(anonymous) }
    }
}

impl Tokens {
    /// Reads the text of a token file: per line `token,user,uid` and, if wanted, `"group1,group2"`.
    pub fn parse(text: &str) -> Result<Self, TokensError> {
        let mut tokens = Self::default();
        for (line, record) in csv::records(text)? {
            let [token, name, uid, rest @ ..] = record.as_slice() else {
                return Err(TokensError::Columns { line, columns: record.len() });
            };
            if token.is_empty() {
                return Err(TokensError::Empty(line));
            }
            let groups = rest.first().map(|it| it.split(',').map(str::to_owned).collect());
            let user = User {
                name: name.clone(),
                uid: uid.clone(),
                groups: groups.unwrap_or_default(),
                ..User::default()
            };
            let user = Arc::new(with_authenticated_group(user));
            if tokens.users.insert(digest(token.as_bytes()), user).is_some() {
                return Err(TokensError::Repeated(line));
            }
        }
        Ok(tokens)
    }

    /// The user of a token.
    pub(super) fn user(&self, token: &[u8]) -> Option<&Arc<User>> {
        self.users.get(&digest(token))
    }

    /// The user of requests without a credential.
    pub(super) fn anonymous(&self) -> &Arc<User> {
        &self.anonymous
    }
}

fn digest(token: &[u8]) -> [u8; 32] {
    Sha256::digest(token).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let check = |text: &str, expect: &str| {
            assert_eq!(Tokens::parse(text).unwrap_err().to_string(), expect, "{text}");
        };
        check(
            "a,b,c\nd,e\n",
            "line 2 of the token file has 2 columns; at least token, user name and user uid are needed",
        );
        check(
            "a,b,1\n\n,c,2\n",
            "line 3 of the token file has an empty token; give it one or remove the line",
        );
        check(
            "a,b,1\na,c,2\n",
            "line 2 of the token file repeats a token of an earlier line; a token belongs to one user",
        );
        check("a,\"b,1\n", "the token file is not CSV: the quote that begins on line 1 has no end");
    }

    #[test]
    fn users_have_uid_and_groups() {
        let tokens = Tokens::parse("t1,ann,7,\"dev,ops\"\r\nt2,bob,8\r\nt3,eve,9,dev,more\n").unwrap();
        let check = |token: &[u8], uid: &str, groups: &[&str]| {
            let user = tokens.user(token).unwrap();
            assert_eq!((user.uid.as_str(), user.groups.as_slice()), (uid, groups.map_to_owned().as_slice()));
        };
        check(b"t1", "7", &["dev", "ops", "system:authenticated"]);
        check(b"t2", "8", &["system:authenticated"]);
        check(b"t3", "9", &["dev", "system:authenticated"]);
        assert!(tokens.user(b"").is_none() && tokens.user(b"t").is_none());
    }

    trait Owned {
        fn map_to_owned(&self) -> Vec<String>;
    }

    impl Owned for [&str] {
        fn map_to_owned(&self) -> Vec<String> {
            self.iter().map(|it| (*it).to_owned()).collect()
        }
    }
}
