//! `krono completions`.

use std::io::pipe;
use std::process::Stdio;

use crate::krono::{command, krono};

#[test]
fn every_shell_has_a_script() {
    for (shell, sign) in [
        ("bash", "complete -F _krono"),
        ("zsh", "#compdef krono"),
        ("fish", "complete -c krono"),
        ("elvish", "edit:completion:arg-completer[krono]"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let run = krono(&["completions", shell]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{shell}");
        assert!(run.stdout.contains(sign), "{run}");
    }
}

#[test]
fn an_unknown_shell_is_a_usage_error() {
    let run = krono(&["completions", "tcsh"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.starts_with("error: invalid value 'tcsh' for '<SHELL>'"), "{run}");
}

/// The reader went away before anything was written.
#[test]
fn a_broken_pipe_is_quiet() {
    let (reader, writer) = pipe().unwrap();
    drop(reader);
    let output = command(&["completions", "bash"]).stdout(writer).stderr(Stdio::piped()).output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}
