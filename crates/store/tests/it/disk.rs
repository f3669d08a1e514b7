//! What a data directory promises.

use krono_store::{BackupError, DiskStore, Expected, OpenError, Options, Store, backup, restore};

use crate::conformance::{all, keys, put};

fn open(directory: &std::path::Path) -> Result<DiskStore, OpenError> {
    DiskStore::open(directory, &Options::default())
}

#[test]
fn a_restart_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path()).unwrap();
    put(&store, "a", Expected::Absent, "1").unwrap();
    put(&store, "a", Expected::At(1), "2").unwrap();
    let (before, change) = (store.range(&all("")), store.change_after("", 1));
    drop(store);
    let store = open(directory.path()).unwrap();
    assert_eq!((store.range(&all("")), store.change_after("", 1)), (before, change));
    assert_eq!(put(&store, "b", Expected::Absent, "1"), Ok(3));
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
    assert_eq!(open(directory.path()).unwrap().version(), 0);
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
    const NUMBERS: redb::TableDefinition<&str, u64> = redb::TableDefinition::new("numbers");
    let directory = tempfile::tempdir().unwrap();
    drop(open(directory.path()).unwrap());
    let database = redb::Database::open(directory.path().join("krono.redb")).unwrap();
    let transaction = database.begin_write().unwrap();
    transaction.open_table(NUMBERS).unwrap().insert("format", 99).unwrap();
    transaction.commit().unwrap();
    drop(database);
    let error = open(directory.path()).unwrap_err();
    assert!(matches!(error, OpenError::Newer { .. }), "{error}");
}

#[test]
fn a_backup_restores_the_store() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let store = open(&at("data")).unwrap();
    for key in ["a", "b", "c"] {
        put(&store, key, Expected::Absent, key).unwrap();
    }
    assert_eq!(backup(&store, &at("copy")).unwrap(), 3);
    assert!(matches!(backup(&store, &at("copy")), Err(BackupError::Exists(_))));
    put(&store, "d", Expected::Absent, "d").unwrap();

    assert!(matches!(
        restore(&at("copy"), &at("data")),
        Err(BackupError::Directory(OpenError::InUse { .. }))
    ));
    assert_eq!(restore(&at("copy"), &at("restored")).unwrap(), 3);
    assert!(matches!(restore(&at("copy"), &at("restored")), Err(BackupError::NotEmpty(_))));
    let restored = open(&at("restored")).unwrap();
    assert_eq!(keys(&restored.range(&all("")).unwrap()), ["a", "b", "c"]);
    assert_eq!(restored.change_after("", 0), store.change_after("", 0));

    std::fs::write(at("rubbish"), "rubbish").unwrap();
    assert!(matches!(restore(&at("rubbish"), &at("empty")), Err(BackupError::Read { .. })));
    assert!(matches!(restore(&at("nothing"), &at("empty")), Err(BackupError::Read { .. })));
    assert_eq!(restore(&at("copy"), &at("empty")).unwrap(), 3);
}
