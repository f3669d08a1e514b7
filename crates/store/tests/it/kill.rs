//! A process killed while several threads write.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use krono_store::{DiskStore, Expected, Options, Store, Write};

use crate::random::cases;

/// Set for the process that is to be killed: the data directory it writes to.
const VICTIM: &str = "KRONO_STORE_VICTIM";
const WRITERS: usize = 8;
/// Acknowledged writes after which it is killed.
const ENOUGH: usize = 200;

#[test]
fn what_was_acknowledged_survives_a_kill() {
    if let Ok(directory) = std::env::var(VICTIM) {
        write_until_killed(Path::new(&directory));
    }
    let rounds = cases().unwrap_or(3);
    let directory = tempfile::tempdir().unwrap();
    let mut survived = 0;
    for _ in 0..rounds {
        survived += check_after_kill(directory.path(), run_and_kill(directory.path()));
    }
    println!("store-kill: {survived}/{rounds}");
}

/// So that changes go into the file while they are written.
fn small_journal() -> Options {
    Options { journal: 20_000, ..Options::default() }
}

/// Writes and says aloud what is acknowledged, forever.
fn write_until_killed(directory: &Path) -> ! {
    let store = DiskStore::open(directory, &small_journal()).unwrap();
    let generation = store.version();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let store = &store;
            scope.spawn(move || {
                for index in 0.. {
                    let key = format!("{generation}/{writer}/{index}");
                    let version =
                        store.write(Write::put(&key, Expected::Absent, key.repeat(100))).wait().unwrap();
                    println!("acknowledged {key} {version}");
                }
            });
        }
    });
    unreachable!("the writers never end");
}

fn run_and_kill(directory: &Path) -> Vec<(String, u64)> {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "kill::what_was_acknowledged_survives_a_kill", "--nocapture"]);
    let mut victim = command.env(VICTIM, directory).stdout(Stdio::piped()).spawn().unwrap();
    let mut output = BufReader::new(victim.stdout.take().unwrap());
    let (mut acknowledged, mut line) = (Vec::new(), String::new());
    // To the end: what was said between the last line seen and the kill counts too. A line cut short does not.
    while output.read_line(&mut line).unwrap() > 0 {
        let said = line.strip_suffix('\n').and_then(|it| it.strip_prefix("acknowledged "));
        if let Some((key, version)) = said.and_then(|it| it.split_once(' ')) {
            acknowledged.push((key.to_owned(), version.parse().unwrap()));
            if acknowledged.len() == ENOUGH {
                victim.kill().unwrap();
            }
        }
        line.clear();
    }
    victim.wait().unwrap();
    acknowledged
}

fn check_after_kill(directory: &Path, acknowledged: Vec<(String, u64)>) -> u64 {
    assert!(acknowledged.len() >= ENOUGH);
    let store = DiskStore::open(directory, &small_journal()).unwrap();
    for (key, version) in acknowledged {
        let entry = store.get(&key).unwrap_or_else(|| panic!("{key} was acknowledged and is lost"));
        assert_eq!((entry.version, entry.value), (version, key.repeat(100).into()));
    }
    1
}
