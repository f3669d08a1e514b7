//! Files with other bytes than were written: an error that says so, or the right data.

use std::cell::Cell;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use krono_store::{Change, DiskStore, Expected, OpenError, Options, Page, Store, Write};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::conformance::all;
use crate::random::cases;

const FILE: &str = "krono.redb";
const WATERMARK: &str = "acknowledged";

/// A store that was closed, and what it held.
struct Sound {
    file: Vec<u8>,
    watermark: Vec<u8>,
    seen: Seen,
}

type Seen = (Page, Vec<Arc<Change>>);

fn seen(store: &DiskStore) -> Seen {
    let mut watch = store.watch("", 1);
    let changes = std::iter::from_fn(|| watch.try_next().unwrap()).collect();
    (store.range(&all("")).unwrap(), changes)
}

fn open(directory: &Path) -> Result<DiskStore, OpenError> {
    DiskStore::open(directory, &Options::default())
}

fn sound() -> &'static Sound {
    static SOUND: OnceLock<Sound> = OnceLock::new();
    SOUND.get_or_init(|| {
        let directory = tempfile::tempdir().unwrap();
        let store = open(directory.path()).unwrap();
        for index in 0..60_usize {
            let key = format!("/configmaps/default/object-{:02}", index % 25);
            let expected = store.get(&key).map_or(Expected::Absent, |it| Expected::At(it.version));
            let value = format!("{index:04}").repeat(10 + index * 13 % 400);
            store.write(Write::put(&key, expected, value)).wait().unwrap();
        }
        let seen = seen(&store);
        drop(store);
        let read = |name| std::fs::read(directory.path().join(name)).unwrap();
        Sound { file: read(FILE), watermark: read(WATERMARK), seen }
    })
}

/// What happened to the file.
#[derive(Clone, Debug)]
enum Damage {
    Flip {
        at: prop::sample::Index,
        bit: u8,
    },
    /// In the header, where a bit says which half of the file is the newer one.
    FlipHeader {
        at: usize,
        bit: u8,
    },
    Overwrite {
        at: prop::sample::Index,
        bytes: Vec<u8>,
    },
    /// A page that lies where another should.
    Misplace {
        from: prop::sample::Index,
        to: prop::sample::Index,
    },
    Truncate {
        length: prop::sample::Index,
    },
    Extend {
        by: usize,
    },
}

fn damage() -> impl Strategy<Value = Damage> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        4 => (index(), 0..8_u8).prop_map(|(at, bit)| Damage::Flip { at, bit }),
        4 => (0..320_usize, 0..8_u8).prop_map(|(at, bit)| Damage::FlipHeader { at, bit }),
        2 => (index(), prop::collection::vec(any::<u8>(), 1..200))
            .prop_map(|(at, bytes)| Damage::Overwrite { at, bytes }),
        2 => (index(), index()).prop_map(|(from, to)| Damage::Misplace { from, to }),
        1 => index().prop_map(|length| Damage::Truncate { length }),
        1 => (1..10_000_usize).prop_map(|by| Damage::Extend { by }),
    ]
}

fn inflict(damage: &Damage, file: &mut Vec<u8>) {
    const PAGE: usize = 4096;
    if file.len() < 2 * PAGE {
        return;
    }
    match damage {
        Damage::Flip { at, bit } => {
            let at = at.index(file.len());
            file[at] ^= 1 << bit;
        }
        Damage::FlipHeader { at, bit } => file[*at] ^= 1 << bit,
        Damage::Overwrite { at, bytes } => {
            let at = at.index(file.len() - bytes.len());
            file[at..at + bytes.len()].copy_from_slice(bytes);
        }
        Damage::Misplace { from, to } => {
            let (from, to) = (from.index(file.len() / PAGE), to.index(file.len() / PAGE));
            file.copy_within(from * PAGE..(from + 1) * PAGE, to * PAGE);
        }
        Damage::Truncate { length } => file.truncate(length.index(file.len())),
        Damage::Extend { by } => file.resize(file.len() + by, 0),
    }
}

#[test]
fn damage_is_an_error_or_harmless() {
    let wanted = cases().map_or(200, |it| u32::try_from(it).unwrap());
    let mut runner = TestRunner::new(ProptestConfig::with_cases(wanted));
    let damages = prop::collection::vec(damage(), 1..4);
    let refused = Cell::new(0);
    let outcome = runner.run(&damages, |damages| {
        let mut file = sound().file.clone();
        for damage in &damages {
            inflict(damage, &mut file);
        }
        refused.set(refused.get() + u32::from(check(&file)));
        Ok(())
    });
    outcome.unwrap();
    println!("{} files were refused", refused.get());
    println!("store-damage: {wanted}/{wanted}");
}

/// The byte that says which half of the file is the newer one: no checksum of redb's covers it.
#[test]
fn the_older_half_is_not_taken_for_the_newer() {
    for bit in 0..8 {
        let mut file = sound().file.clone();
        file[9] ^= 1 << bit;
        check(&file);
    }
}

/// Whether the file is refused.
fn check(file: &[u8]) -> bool {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join(FILE), file).unwrap();
    std::fs::write(directory.path().join(WATERMARK), &sound().watermark).unwrap();
    match open(directory.path()) {
        Ok(store) => {
            assert!(seen(&store) == sound().seen, "other data than was written");
            false
        }
        Err(error) => {
            let text = error.to_string();
            assert!(text.contains("krono.redb"), "{text}");
            let (damaged, newer) =
                (matches!(error, OpenError::Damaged { .. }), matches!(error, OpenError::Newer { .. }));
            assert!(damaged && text.contains("restore it from a backup") || newer, "{text}");
            true
        }
    }
}
