//! Everything that the documents show is run, and must print what they show.
//!
//! In a ` ```console ` block a line `$ command` is run by the shell, `krono` being the binary under test, and the lines up to
//! the next `$` are what it prints. A block with a file name behind its language, such as ` ```yaml app.yaml `, is a file
//! that later commands find in their folder; each document has a folder of its own. `KRONO_BLESS=1` writes what the
//! commands print into the documents.

mod session;

use std::fs;
use std::path::{Path, PathBuf};

use self::session::Session;

#[test]
fn documents_show_what_commands_print() {
    let bless = std::env::var_os("KRONO_BLESS").is_some_and(|it| it == "1");
    let mut stale = Vec::new();
    for path in documents() {
        let old = fs::read_to_string(&path).unwrap();
        let new = performed(&old, &path);
        if new != old && bless {
            fs::write(&path, &new).unwrap();
        } else if new != old {
            stale.push(difference(&path, &old, &new));
        }
    }
    assert!(stale.is_empty(), "{}\n\nKRONO_BLESS=1 writes the documents anew", stale.join("\n"));
}

/// The README and the guides.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let guides = fs::read_dir(root.join("docs")).unwrap().map(|it| it.unwrap().path());
    let mut found: Vec<_> = guides.filter(|it| it.extension().is_some_and(|it| it == "md")).collect();
    found.push(root.join("README.md"));
    found.sort();
    found
}

/// The document with what its commands print now.
fn performed(document: &str, path: &Path) -> String {
    let mut session = Session::new(path);
    let mut out = String::new();
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        let Some(info) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|it| *it != "```").collect();
        match info.split_once(' ') {
            _ if info == "console" => out.push_str(&session.play(&block)),
            Some((_, file)) => out.push_str(&session.write(file, &block)),
            None => block.iter().for_each(|it| out.extend([it, "\n"])),
        }
        out.push_str("```\n");
    }
    out
}

fn difference(path: &Path, old: &str, new: &str) -> String {
    let pairs = old.lines().zip(new.lines()).enumerate();
    let first = pairs
        .filter(|(_, (old, new))| old != new)
        .map(|(index, (old, new))| format!("line {}\n  shown:   {old}\n  printed: {new}", index + 1));
    let first = first.take(1).collect::<String>();
    format!("{}: {}", path.display(), if first.is_empty() { "the end differs" } else { &first })
}
