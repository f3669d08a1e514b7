//! Stories of the documents, typed at a server with a real kubectl.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::krono::{Run, command, left_out, timeless};

/// Where the project is.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

#[test]
fn the_readme_runs_as_written() {
    // The first block builds and tests.
    let commands = blocks("README.md", "sh").split_off(1).join("\n");
    let Some(told) = type_at_a_server(&commands) else { return };
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for shown in blocks("README.md", "text") {
        assert!(words(&told.stdout).contains(&words(&shown)), "{shown}\n{told}");
    }
}

#[test]
fn the_guide_to_controllers_runs_as_written() {
    shows_what_is_printed("docs/controller.md");
}

#[test]
fn the_guide_to_revisions_runs_as_written() {
    shows_what_is_printed("docs/revisions.md");
}

#[test]
fn the_guide_to_instances_runs_as_written() {
    shows_what_is_printed("docs/instances.md");
}

#[test]
fn the_guide_to_propagation_runs_as_written() {
    shows_what_is_printed("docs/propagation.md");
}

/// Types all commands of a guide; all that it shows must be printed, but for when.
fn shows_what_is_printed(guide: &str) {
    let Some(told) = type_at_a_server(&blocks(guide, "sh").join("\n")) else { return };
    let printed = timeless(&told.stdout);
    for shown in blocks(guide, "text") {
        assert!(printed.contains(&timeless(&shown)), "{shown}\n{told}");
    }
}

#[test]
fn the_guide_to_plans_runs_as_written() {
    let Some(told) = type_at_a_server(&blocks("docs/plan.md", "sh").join("\n")) else { return };
    let shown = "default/shop\n  ~ Service shop (service)\n      @@ spec.ports @@\n      + - name: http\n      +   port: 8080\n";
    assert_eq!(told.stdout.matches(shown).count(), 4, "{told}");
    let unchanged =
        "1 instance: 1 unchanged, 0 changed, 0 with deletions or replacements\n0 resource writes\n";
    assert!(told.stdout.contains(unchanged), "{told}");
    assert!(
        told.stderr.contains("no longer holds: ") && told.stderr.contains("WebApp default/shop has changed"),
        "{told}"
    );
}

#[test]
fn the_guide_to_simulations_runs_as_written() {
    shows_what_is_printed("docs/simulate.md");
}

/// This program's own tests, where there is no kubectl.
#[test]
fn without_kubectl_a_story_is_left_out_and_under_ci_it_fails() {
    let check = |ci: &str, code: i32, expected: &str| {
        let nowhere = tempfile::tempdir().unwrap();
        let mut tests = Command::new(std::env::current_exe().unwrap());
        tests.args(["story::the_guide_to_revisions_runs_as_written", "--exact", "--nocapture"]);
        tests.env("CI", ci).env("PATH", nowhere.path());
        let run = on(tests.env("XDG_CACHE_HOME", nowhere.path()), nowhere.path());
        assert!(run.code == Some(code) && run.to_string().contains(expected), "CI={ci}: {run}");
    };
    check("", 0, "left out: kubectl is neither on the path");
    check("true", 101, "missing where CI=true: kubectl is neither on the path");
}

/// Types commands at a server of their own, this binary being `krono`; nothing where there is no kubectl.
fn type_at_a_server(commands: &str) -> Option<Run> {
    let kubectl = kubectl()?;
    let directory = tempfile::tempdir().unwrap();
    let up = on(&mut command(&["up", "--detach", "--listen", "127.0.0.1:0"]), directory.path());
    assert_eq!(up.code, Some(0), "{up}");
    let told = on(&mut shell(&adapted(commands, directory.path()), &kubectl), directory.path());
    let down = on(&mut command(&["down"]), directory.path());
    assert_eq!((told.code, down.code), (Some(0), Some(0)), "{told}\n{down}");
    Some(told)
}

/// The commands, with this server in place of the usual one and this binary in place of the release.
fn adapted(commands: &str, directory: &Path) -> String {
    let commands = commands.replace("~/.local/share/krono", directory.to_str().unwrap());
    commands.replace(" PATH=$PWD/target/release:$PATH", "")
}

/// The fenced blocks of that language.
fn blocks(file: &str, language: &str) -> Vec<String> {
    let text = std::fs::read_to_string(Path::new(ROOT).join(file)).unwrap();
    let fence = format!("```{language}\n");
    let blocks = text.split(&fence).skip(1).filter_map(|it| it.split_once("\n```"));
    blocks.map(|(block, _)| block.to_owned()).collect()
}

fn shell(commands: &str, kubectl: &Path) -> Command {
    let mut shell = Command::new("bash");
    let folders =
        [Path::new(env!("CARGO_BIN_EXE_krono")), kubectl].map(|it| it.parent().unwrap().to_path_buf());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(folders.into_iter().chain(std::env::split_paths(&path))).unwrap();
    shell.args(["-euo", "pipefail", "-c", commands]).current_dir(ROOT).env("PATH", path);
    shell
}

fn on(command: &mut Command, directory: &Path) -> Run {
    command
        .env("KRONO_DATA_DIR", directory)
        .env("HOME", directory)
        .env("KUBECONFIG", directory.join("kubeconfig"))
        .output()
        .unwrap()
        .into()
}

/// The kubectl that stories are typed with; none when it is not there, which is an error where `CI=true`.
pub(crate) fn kubectl() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|it| it.join("kubectl"));
    let found = on_path.chain(built()).find(|it| it.is_file());
    if found.is_none() {
        left_out("kubectl is neither on the path nor built by `xtask kube build`");
    }
    found
}

/// Those that were built for comparisons.
fn built() -> Vec<PathBuf> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    let versions = cache.and_then(|it| std::fs::read_dir(it.join("krono/kube")).ok());
    versions.into_iter().flatten().flatten().map(|it| it.path().join("bin/kubectl")).collect()
}
