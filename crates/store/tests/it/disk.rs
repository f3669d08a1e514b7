//! What a data directory promises.

use std::sync::Arc;

use krono_store::{
    BackupError, Change, Compacted, DiskStore, Expected, OpenError, Options, Store, Write, backup, restore,
};

use crate::conformance::{all, first_after, put};

fn open(directory: &std::path::Path) -> Result<DiskStore, OpenError> {
    DiskStore::open(directory, &Options::default())
}

#[test]
fn a_restart_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path()).unwrap();
    put(&store, "a", Expected::Absent, "1").unwrap();
    put(&store, "a", Expected::At(2), "2").unwrap();
    put(&store, "b", Expected::Absent, "1").unwrap();
    store.write(Write::delete("a", 3)).wait().unwrap();
    put(&store, "a", Expected::Absent, "3").unwrap();
    let seen = |store: &DiskStore| (store.range(&all("")), changes(store));
    let before = seen(&store);
    assert_eq!(before.1.len(), 5);
    drop(store);
    let store = open(directory.path()).unwrap();
    assert_eq!(seen(&store), before);
    assert_eq!(put(&store, "c", Expected::Absent, "1"), Ok(7));
}

/// All changes from the first.
fn changes(store: &DiskStore) -> Vec<Arc<Change>> {
    let mut watch = store.watch("", 1);
    std::iter::from_fn(|| watch.try_next().unwrap()).collect()
}

/// A copy of the directory of a store that is open: what a kill leaves behind.
fn killed(directory: &std::path::Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for name in ["krono.redb", "krono.journal", "acknowledged"] {
        std::fs::copy(directory.join(name), copy.path().join(name)).unwrap();
    }
    copy
}

#[test]
fn what_only_the_journal_has_is_there_after_a_kill() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path()).unwrap();
    put(&store, "a", Expected::Absent, "1").unwrap();
    put(&store, "b", Expected::Absent, "1").unwrap();
    put(&store, "a", Expected::At(2), "2").unwrap();
    store.compact(2).wait().unwrap();
    store.write(Write::delete("b", 3)).wait().unwrap();
    let seen =
        |store: &DiskStore| (store.range(&all("")), first_after(store, "", 2), first_after(store, "", 1));
    let before = seen(&store);
    assert_eq!(before.2, Err(Compacted { oldest: 2 }));
    let copy = killed(directory.path());
    for _ in 0..2 {
        assert_eq!(seen(&open(copy.path()).unwrap()), before);
    }
}

#[test]
fn a_file_older_than_its_journal_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path()).unwrap();
    let old = killed(directory.path());
    put(&store, "a", Expected::Absent, "1").unwrap();
    drop(store);
    let store = open(directory.path()).unwrap();
    put(&store, "b", Expected::Absent, "1").unwrap();
    let copy = killed(directory.path());
    std::fs::copy(old.path().join("krono.redb"), copy.path().join("krono.redb")).unwrap();
    std::fs::copy(old.path().join("acknowledged"), copy.path().join("acknowledged")).unwrap();
    let error = open(copy.path()).unwrap_err();
    assert!(matches!(error, OpenError::Damaged { .. }), "{error}");
}

#[test]
fn a_closed_store_needs_no_journal() {
    let directory = tempfile::tempdir().unwrap();
    put(&open(directory.path()).unwrap(), "a", Expected::Absent, "1").unwrap();
    std::fs::remove_file(directory.path().join("krono.journal")).unwrap();
    assert_eq!(open(directory.path()).unwrap().get("a").unwrap().version, 2);
}

#[test]
fn a_damaged_journal_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path()).unwrap();
    for key in ["a", "b", "c"] {
        put(&store, key, Expected::Absent, key).unwrap();
    }
    let copy = killed(directory.path());
    let journal = copy.path().join("krono.journal");
    let whole = std::fs::read(&journal).unwrap();
    for place in [0, 20, 4096, 4096 + 33] {
        let mut damaged = whole.clone();
        damaged[place] ^= 1;
        std::fs::write(&journal, damaged).unwrap();
        let error = open(copy.path()).unwrap_err();
        assert!(matches!(error, OpenError::Damaged { .. }), "{place}: {error}");
    }
    std::fs::write(&journal, whole).unwrap();
    assert_eq!(open(copy.path()).unwrap().version(), 4);
}

#[test]
fn compaction_outlives_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path()).unwrap();
    for key in ["a", "b", "c"] {
        put(&store, key, Expected::Absent, key).unwrap();
    }
    store.compact(3).wait().unwrap();
    drop(store);
    let store = open(directory.path()).unwrap();
    assert_eq!(first_after(&store, "", 2), Err(Compacted { oldest: 3 }));
    assert_eq!(first_after(&store, "", 3), Ok(Some((4, false, 0))));
}

#[test]
fn a_second_process_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let first = open(directory.path()).unwrap();
    let error = open(directory.path()).unwrap_err();
    assert!(matches!(&error, OpenError::InUse { process: Some(_), .. }), "{error}");
    assert!(error.to_string().contains("stop it first or choose another directory"), "{error}");
    drop(first);
    open(directory.path()).unwrap();
}

#[test]
fn damaged_and_foreign_files_are_refused() {
    const OTHER: redb::TableDefinition<&str, u64> = redb::TableDefinition::new("other");
    let refused = |bytes: &[u8]| {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("krono.redb"), bytes).unwrap();
        let error = open(directory.path()).unwrap_err();
        assert!(matches!(error, OpenError::Damaged { .. }), "{error}");
        assert!(error.to_string().contains("restore it from a backup"), "{error}");
    };
    refused(b"not a database");
    refused(&[0; 8192]);

    let directory = tempfile::tempdir().unwrap();
    let database = redb::Database::create(directory.path().join("krono.redb")).unwrap();
    let transaction = database.begin_write().unwrap();
    transaction.open_table(OTHER).unwrap();
    transaction.commit().unwrap();
    drop(database);
    assert!(matches!(open(directory.path()).unwrap_err(), OpenError::Damaged { .. }));
}

#[test]
fn an_interrupted_first_start_is_no_damage() {
    let directory = tempfile::tempdir().unwrap();
    drop(redb::Database::create(directory.path().join("krono.redb")).unwrap());
    assert_eq!(open(directory.path()).unwrap().version(), 1);

    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("krono.redb.unfinished"), "half a file").unwrap();
    put(&open(directory.path()).unwrap(), "a", Expected::Absent, "1").unwrap();
    assert_eq!(open(directory.path()).unwrap().version(), 2);
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_data() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let _store = open(&data).unwrap();
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&data), mode(&data.join("krono.redb"))), (0o700, 0o600));
}

#[test]
fn newer_files_are_refused() {
    const NUMBERS: redb::TableDefinition<&str, &[u8]> = redb::TableDefinition::new("numbers");
    let directory = tempfile::tempdir().unwrap();
    drop(open(directory.path()).unwrap());
    let database = redb::Database::open(directory.path().join("krono.redb")).unwrap();
    let transaction = database.begin_write().unwrap();
    transaction.open_table(NUMBERS).unwrap().insert("store", &99_u64.to_le_bytes()[..]).unwrap();
    transaction.commit().unwrap();
    drop(database);
    let error = open(directory.path()).unwrap_err();
    assert!(matches!(error, OpenError::Newer { .. }), "{error}");
}

#[test]
fn files_of_the_first_format_are_refused() {
    const NUMBERS: redb::TableDefinition<&str, u64> = redb::TableDefinition::new("numbers");
    let directory = tempfile::tempdir().unwrap();
    let database = redb::Database::create(directory.path().join("krono.redb")).unwrap();
    let transaction = database.begin_write().unwrap();
    transaction.open_table(NUMBERS).unwrap().insert("format", 1).unwrap();
    transaction.commit().unwrap();
    drop(database);
    let error = open(directory.path()).unwrap_err();
    assert!(matches!(error, OpenError::Older { .. }), "{error}");
}

#[test]
fn a_file_that_lost_everything_is_no_new_one() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("krono.redb");
    let store = open(directory.path()).unwrap();
    put(&store, "a", Expected::Absent, "1").unwrap();
    drop(store);
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, "").unwrap();
    let error = open(directory.path()).unwrap_err().to_string();
    for part in ["krono.redb is damaged", "it holds nothing", "restore it from a backup"] {
        assert!(error.contains(part), "{error}");
    }
    std::fs::write(&file, whole).unwrap();
    assert_eq!(open(directory.path()).unwrap().version(), 2);
}

#[test]
fn a_backup_restores_the_store() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let store = open(&at("data")).unwrap();
    for key in ["a", "b", "c"] {
        put(&store, key, Expected::Absent, key).unwrap();
    }
    assert_eq!(backup(&store, &at("copy")).unwrap(), 4);
    assert!(matches!(backup(&store, &at("copy")), Err(BackupError::Exists(_))));

    assert!(matches!(
        restore(&at("copy"), &at("data")),
        Err(BackupError::Directory(OpenError::InUse { .. }))
    ));
    let version = restore(&at("copy"), &at("restored")).unwrap();
    assert!(matches!(restore(&at("copy"), &at("restored")), Err(BackupError::NotEmpty(_))));
    let restored = open(&at("restored")).unwrap();
    assert_eq!(restored.version(), version);
    assert_eq!(restored.range(&all("")).unwrap().entries, store.range(&all("")).unwrap().entries);

    drop(redb::Database::create(at("blank")).unwrap());
    assert!(matches!(restore(&at("blank"), &at("empty")), Err(BackupError::Read { .. })));
    std::fs::write(at("rubbish"), "rubbish").unwrap();
    assert!(matches!(restore(&at("rubbish"), &at("empty")), Err(BackupError::Read { .. })));
    assert!(matches!(restore(&at("nothing"), &at("empty")), Err(BackupError::Read { .. })));
    assert_eq!(restore(&at("copy"), &at("empty")).unwrap(), version);
}

/// After the backup the lost store went on: its versions must not come to mean something else.
#[test]
fn a_restored_store_uses_no_version_again() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let store = open(&at("data")).unwrap();
    put(&store, "a", Expected::Absent, "1").unwrap();
    backup(&store, &at("copy")).unwrap();
    let lost = put(&store, "b", Expected::Absent, "1").unwrap();
    drop(store);
    let version = restore(&at("copy"), &at("restored")).unwrap();
    let restored = open(&at("restored")).unwrap();
    assert_eq!(first_after(&restored, "", lost), Err(Compacted { oldest: version }));
    assert!(put(&restored, "b", Expected::Absent, "2").unwrap() > lost);
    assert_eq!(put(&restored, "a", Expected::At(2), "2"), Ok(version + 2), "entries keep their versions");

    // Also where the second backup is older than what the directory was at.
    drop(restored);
    std::fs::remove_file(at("restored").join("krono.redb")).unwrap();
    assert!(restore(&at("copy"), &at("restored")).unwrap() > version + 2);
}
