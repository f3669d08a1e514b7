//! Help, version and usage errors.

use std::process::Command;

use crate::krono::{Run, krono};
use crate::story::kubectl;

#[test]
fn help_goes_to_stdout_and_names_the_exit_codes() {
    let run = krono(&["--help"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.starts_with("Change management for platform APIs\n"), "{run}");
    for code in ["0 ", "1 ", "2 ", "3 ", "70", "130"] {
        assert!(run.stdout.contains(&format!("\n  {code}  ")), "no exit code {code}: {run}");
    }
}

#[test]
fn version() {
    let run = krono(&["--version"]);
    assert_eq!(
        run.to_string(),
        format!("exit Some(0)\n--- stdout\nkrono {}\n--- stderr\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn no_command_is_a_usage_error_with_the_help() {
    let run = krono(&[]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.contains("Usage: krono <COMMAND>"), "{run}");
}

#[test]
fn a_mistyped_command_gets_a_suggestion() {
    let run = krono(&["completion"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.starts_with("error: unrecognized subcommand 'completion'"), "{run}");
    assert!(run.stderr.contains("'completions'"), "{run}");
}

#[test]
fn a_pipe_is_not_coloured() {
    for arguments in [&["--help"][..], &["nonsense"], &["completions"]] {
        assert!(!krono(arguments).to_string().contains('\x1b'), "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn as_a_plugin_it_shows_what_its_users_type() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("kubectl-krono");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_krono"), &link).unwrap();
    let check = |command: &mut Command| {
        let run = Run::from(command.args(["pin", "--help"]).output().unwrap());
        assert!(run.stdout.contains("Usage: kubectl krono pin "), "{run}");
        assert!(run.stdout.contains("\n  kubectl krono pin application/my-app 2 -n prod\n"), "{run}");
    };
    check(&mut Command::new(link));
    let Some(kubectl) = kubectl() else { return };
    check(Command::new(kubectl).arg("krono").env("PATH", folder.path()).env("HOME", folder.path()));
}
