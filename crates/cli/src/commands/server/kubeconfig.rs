//! Writing the administrator's kubeconfig, without harm to one that is there.

use std::io::ErrorKind;
use std::path::Path;

use serde_json::Value;

use super::directory::{shown, write_private};
use crate::command_error::CommandError;

/// The name of the cluster in the files that krono writes.
const NAME: &str = "krono";

/// Writes the file, unless it is there and holds something else than an earlier one of ours.
pub(super) fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    match std::fs::read_to_string(path) {
        Ok(old) if is_ours(&old) => {}
        Ok(_) => {
            let path = shown(path);
            let error =
                CommandError::usage(format!("{path} holds other clusters than krono's; it is left as it is"));
            return Err(error
                .hint(format!("name a new file with --kubeconfig, then use both: KUBECONFIG={path}:NEW")));
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(CommandError::usage(format!("{} cannot be read: {error}", shown(path)))),
    }
    write_private(path, text)
}

fn is_ours(text: &str) -> bool {
    let Ok(config) = serde_saphyr::from_str::<Value>(text) else { return false };
    let names = |list: &str| -> Option<Vec<&str>> {
        config.get(list)?.as_array()?.iter().map(|it| it.get("name")?.as_str()).collect()
    };
    ["clusters", "users", "contexts"].iter().all(|list| names(list).as_deref() == Some(&[NAME]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_with_nothing_but_krono_are_ours() {
        let check = |text: &str, expect: bool| assert_eq!(is_ours(text), expect, "{text}");
        let ours = "clusters: [{name: krono}]\nusers: [{name: krono}]\ncontexts: [{name: krono}]\n";
        check(ours, true);
        check(&ours.replacen("[{name: krono}]", "[{name: krono}, {name: prod}]", 1), false);
        check(&ours.replace("krono", "prod"), false);
        check("clusters: [{name: krono}]", false);
        check("a: [", false);
        check("", false);
    }
}
