//! The README's story, typed at a server with a real kubectl.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::krono::{Run, command};

/// Where the project is.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

#[test]
fn the_readme_runs_as_written() {
    let Some(kubectl) = kubectl() else {
        println!("left out: the README's story needs kubectl, on the path or built by `xtask kube build`");
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let up = on(command(&["up", "--detach", "--listen", "127.0.0.1:0"]), directory.path());
    assert_eq!(up.code, Some(0), "{up}");
    let told = on(shell(&story(directory.path()), &kubectl), directory.path());
    let down = on(command(&["down"]), directory.path());
    assert_eq!((told.code, down.code), (Some(0), Some(0)), "{told}\n{down}");
    let tree = &told.stdout[told.stdout.find("WebApp/shop  ").expect("the tree")..];
    let lines: Vec<_> =
        tree.lines().take(5).map(|line| line.split_whitespace().collect::<Vec<_>>()).collect();
    let shown = readme_block("text", "WebApp/shop");
    let expect: Vec<_> = shown.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).collect();
    assert_eq!(lines, expect, "{told}");
}

/// The commands, with this server in place of the usual one and this binary in place of the release.
fn story(directory: &Path) -> String {
    let commands = readme_block("sh", "examples/web-app/rgd.yaml");
    let commands = commands.replace("~/.local/share/krono", directory.to_str().unwrap());
    commands.replace("target/release/krono", env!("CARGO_BIN_EXE_krono"))
}

/// The fenced block of that language that mentions a word.
fn readme_block(language: &str, word: &str) -> String {
    let readme = std::fs::read_to_string(Path::new(ROOT).join("README.md")).unwrap();
    let fence = format!("```{language}\n");
    let blocks = readme.split(&fence).skip(1);
    let mut blocks = blocks.filter_map(|it| it.split_once("\n```")).map(|(block, _)| block.to_owned());
    blocks.find(|it| it.contains(word)).expect("the block")
}

fn shell(commands: &str, kubectl: &Path) -> Command {
    let mut shell = Command::new("bash");
    let path =
        format!("{}:{}", kubectl.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    shell.args(["-euo", "pipefail", "-c", commands]).current_dir(ROOT).env("PATH", path);
    shell
}

fn on(mut command: Command, directory: &Path) -> Run {
    command.env("KRONO_DATA_DIR", directory).env("HOME", directory).output().unwrap().into()
}

fn kubectl() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let on_path = std::env::split_paths(&path).map(|it| it.join("kubectl"));
    on_path.chain(built()).find(|it| it.is_file())
}

/// Those that were built for comparisons.
fn built() -> Vec<PathBuf> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    let versions = cache.and_then(|it| std::fs::read_dir(it.join("krono/kube")).ok());
    versions.into_iter().flatten().flatten().map(|it| it.path().join("bin/kubectl")).collect()
}
