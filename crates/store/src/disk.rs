//! A store in one file, safe against crashes.

use std::any::Any;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use redb::backends::FileBackend;
use redb::{Builder, Database, StorageBackend};
use tokio::sync::watch;

use crate::change_log::Remembered;
use crate::commit::closed;
use crate::committer::{Committer, Queue};
use crate::format::{self, FormatError};
use crate::index::Index;
use crate::journal::{Journal, Record};
use crate::ledger::Ledger;
use crate::lock::Lock;
use crate::shared::Shared;
use crate::{Change, Commit, Compacted, Entry, Page, Range, Store, Watch, Write, watermark};

/// The file in a data directory.
pub(crate) const FILE: &str = "krono.redb";
/// What becomes that file.
pub(crate) const UNFINISHED: &str = "krono.redb.unfinished";
/// The journal beside it.
const JOURNAL: &str = "krono.journal";
/// Bytes of pages in memory. All reads of the store come from its index; this is for the trees that a commit changes.
pub(crate) const CACHE: usize = 8 << 20;

/// A store in one file, with a journal beside it.
///
/// One thread commits: it takes the writes that are waiting, decides on them in order, appends them to the journal together and
/// flushes once; then readers and watchers see them and the writers are told. So what is acknowledged is on disk, and what is seen is
/// too. Another thread writes what the journal holds into the file, in larger pieces; whatever it had no time for is done when the store
/// is closed, or opened again.
///
/// When a flush fails, its writers get [`WriteError::Unknown`](crate::WriteError::Unknown): their writes may be on disk or not, and
/// nobody sees them. From then on nothing is written, and everyone gets [`WriteError::Failed`](crate::WriteError::Failed), until the
/// store is opened again and what the file holds is known.
#[derive(Debug)]
pub struct DiskStore {
    shared: Arc<Shared>,
    queue: Option<Queue>,
    committer: Option<JoinHandle<u64>>,
    home: Option<Home>,
}

/// How a store is opened.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How much of the past is remembered, also over a restart.
    pub remembered: Remembered,
    /// Bytes of a new journal after which its changes go into the file.
    pub journal: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { remembered: Remembered::default(), journal: 1 << 20 }
    }
}

/// A data directory that is ours.
#[derive(Debug)]
struct Home {
    directory: PathBuf,
    _lock: Lock,
}

/// Why a store could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The directory cannot be used.
    #[error("the data directory {} cannot be used", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Another process has it open.
    #[error(
        "the data directory {} is in use by {}; stop it first or choose another directory",
        path.display(),
        process.map_or_else(|| "another process".to_owned(), |it| format!("process {it}"))
    )]
    InUse {
        /// The directory.
        path: PathBuf,
        /// The process, if it left its number.
        process: Option<u32>,
    },
    /// The file is not what it should be.
    #[error("the store {} is damaged: {reason}; restore it from a backup or start with an empty directory", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The file is of an older program.
    #[error("the store {} cannot be read: {reason}; start with an empty directory", path.display())]
    Older {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The file is of a newer program.
    #[error("the store {} was written by a newer krono: {reason}; use that one", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

impl DiskStore {
    /// Opens the store in a directory, which is made if it is not there.
    pub fn open(directory: &Path, options: &Options) -> Result<Self, OpenError> {
        let lock = Lock::take(directory)?;
        let path = directory.join(FILE);
        let unusable = |source| OpenError::Directory { path: directory.to_owned(), source };
        // A new file gets its name once it is whole, so that a first start that was interrupted leaves none.
        let unfinished = directory.join(UNFINISHED);
        let is_new = !path.exists();
        let file = if is_new { empty_file(&unfinished) } else { private_file(&path) };
        let file = file.map_err(unusable)?;
        let journal = directory.join(JOURNAL);
        // A new file owes nothing to what lies beside it.
        let journal = if is_new { empty_file(&journal) } else { private_file(&journal) }.map_err(unusable)?;
        watermark::sync_directory(directory).map_err(unusable)?;
        let acknowledged = watermark::read(directory);
        let open = || {
            let mut opened =
                Opened::new(|builder| builder.create_file(file), acknowledged, options.remembered)?;
            let journal = FileBackend::new(journal)?;
            let journal = opened.replay(Box::new(journal), options.journal)?;
            opened.check(acknowledged)?;
            Ok((opened, journal))
        };
        let (opened, journal) = guarded(open).map_err(|error| unreadable(&path, &error))?;
        if is_new {
            put_in_place(&unfinished, &path).map_err(unusable)?;
        }
        // Noted before the first write, so that a file that loses all is not taken for a new one.
        if acknowledged == 0 {
            watermark::write(directory, opened.index.version()).map_err(unusable)?;
        }
        opened.start(journal, &path, Some(Home { directory: directory.to_owned(), _lock: lock }))
    }

    /// Opens a store in storage of another kind, such as one that breaks down in a test: the file, and the journal.
    pub fn open_in(
        storage: impl StorageBackend,
        journal: impl StorageBackend,
        options: &Options,
    ) -> Result<Self, OpenError> {
        let path = Path::new("(storage)");
        let open = || {
            let mut opened = Opened::new(|it| it.create_with_backend(storage), 0, options.remembered)?;
            let journal = opened.replay(Box::new(journal), options.journal)?;
            Ok((opened, journal))
        };
        let (opened, journal) = guarded(open).map_err(|error| unreadable(path, &error))?;
        opened.start(journal, path, None)
    }

    /// All of one version; values are shared, not copied.
    pub(crate) fn snapshot(&self) -> Index {
        self.shared.read().clone()
    }
}

/// A file that was read and found sound.
pub(crate) struct Opened {
    pub(crate) database: Database,
    pub(crate) index: Index,
    pub(crate) numbers: format::Numbers,
}

impl Opened {
    /// Opens or makes a file, and checks all of it.
    pub(crate) fn new(
        open: impl FnOnce(&mut Builder) -> Result<Database, redb::DatabaseError>,
        acknowledged: u64,
        remembered: Remembered,
    ) -> Result<Self, FormatError> {
        let mut builder = Builder::new();
        builder.set_cache_size(CACHE);
        // After a crash redb itself checks every page.
        let checked = Arc::new(AtomicBool::new(false));
        let checking = Arc::clone(&checked);
        builder.set_repair_callback(move |_| checking.store(true, Ordering::Relaxed));
        let mut database = open(&mut builder)?;
        if format::is_blank(&database)? {
            // A first start that was interrupted leaves a file without tables.
            if acknowledged > 0 {
                return Err(FormatError::Empty);
            }
            format::create(&database)?;
        } else if !checked.load(Ordering::Relaxed) && !database.check_integrity()? {
            return Err(FormatError::Pages);
        }
        let (index, numbers) = format::load(&database, remembered)?;
        Ok(Self { database, index, numbers })
    }

    /// Takes what only the journal has, so that nothing in it is needed any more.
    fn replay(&mut self, storage: Box<dyn StorageBackend>, half: usize) -> Result<Journal, FormatError> {
        let journal = Journal::open(storage, half)?;
        let records = journal.replay(self.numbers.version)?;
        let forgotten = records.iter().map(|it| it.forgotten).max().unwrap_or(0);
        let changes: Vec<Change> = records.into_iter().flat_map(|it| self.redo(it)).collect();
        if !changes.is_empty() || forgotten > self.index.log().compacted() {
            let forgotten = forgotten.max(self.index.log().compacted());
            self.index.compact(forgotten);
            self.numbers = format::append(&self.database, self.numbers, &changes, forgotten)?;
        }
        Ok(journal)
    }

    fn redo(&mut self, record: Record) -> Vec<Change> {
        let mut redone = Vec::new();
        for (version, (key, current)) in (record.first..).zip(record.changes) {
            let previous = self.index.get(&key).cloned();
            let change = Change { key: key.into(), version, current, previous };
            self.index.apply(change.clone());
            redone.push(change);
        }
        redone
    }

    fn check(&self, acknowledged: u64) -> Result<(), FormatError> {
        let found = self.numbers.version;
        if found < acknowledged { Err(FormatError::Rolled { found, acknowledged }) } else { Ok(()) }
    }

    fn start(self, journal: Journal, path: &Path, home: Option<Home>) -> Result<DiskStore, OpenError> {
        let failed = |source| OpenError::Directory { path: path.to_owned(), source };
        let shared = Shared::new(self.index);
        let ledger = Ledger::new(journal, self.database, self.numbers).map_err(failed)?;
        let (queue, committer) = Committer::new(ledger, Arc::clone(&shared));
        let thread = std::thread::Builder::new().name("krono-store".into()).spawn(|| committer.run());
        let committer = thread.map_err(failed)?;
        Ok(DiskStore { shared, queue: Some(queue), committer: Some(committer), home })
    }
}

impl Drop for DiskStore {
    fn drop(&mut self) {
        self.queue = None;
        // A committer that panicked has told its writers by dropping their replies.
        let Some(Ok(version)) = self.committer.take().map(JoinHandle::join) else { return };
        if let Some(home) = &self.home {
            // Without it the store is as safe as after a crash.
            drop(watermark::write(&home.directory, version));
        }
    }
}

impl Store for DiskStore {
    fn version(&self) -> u64 {
        self.shared.read().version()
    }

    fn get(&self, key: &str) -> Option<Entry> {
        self.shared.read().get(key).cloned()
    }

    fn range(&self, range: &Range<'_>) -> Result<Page, Compacted> {
        self.shared.read().range(range)
    }

    fn write(&self, write: Write) -> Commit {
        self.queue.as_ref().map_or_else(|| Commit::done(Err(closed())), |it| it.write(write))
    }

    fn watch(&self, prefix: &str, version: u64) -> Watch {
        self.shared.watch(prefix, version)
    }

    fn subscribe(&self) -> watch::Receiver<u64> {
        self.shared.subscribe()
    }

    fn compact(&self, version: u64) -> Commit {
        self.queue.as_ref().map_or_else(|| Commit::done(Err(closed())), |it| it.compact(version))
    }
}

/// The file, readable for its owner only: it will hold secrets.
pub(crate) fn private_file(path: &Path) -> std::io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Such a file without anything in it.
pub(crate) fn empty_file(path: &Path) -> std::io::Result<std::fs::File> {
    let file = private_file(path)?;
    file.set_len(0)?;
    Ok(file)
}

/// Gives a finished file its name, to last.
pub(crate) fn put_in_place(unfinished: &Path, file: &Path) -> std::io::Result<()> {
    std::fs::rename(unfinished, file)?;
    let directory = file.parent().filter(|it| !it.as_os_str().is_empty());
    watermark::sync_directory(directory.unwrap_or(Path::new(".")))
}

/// Bytes that nobody foresaw may make the database panic; to its user that is a damaged file.
pub(crate) fn guarded<T>(read: impl FnOnce() -> Result<T, FormatError>) -> Result<T, FormatError> {
    let outcome = catch_unwind(AssertUnwindSafe(read));
    outcome.unwrap_or_else(|panic| Err(FormatError::Panic(panic_message(&*panic))))
}

pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref().copied()).unwrap_or("it panicked").to_owned()
}

/// What stops a disk from being written says nothing about what is on it.
fn out_of_order(error: &FormatError) -> Option<std::io::Error> {
    let FormatError::Database(error) = error else { return None };
    let redb::Error::Io(error) = &**error else { return None };
    let about_the_disk = matches!(
        error.kind(),
        ErrorKind::StorageFull
            | ErrorKind::QuotaExceeded
            | ErrorKind::FileTooLarge
            | ErrorKind::PermissionDenied
            | ErrorKind::ReadOnlyFilesystem
    );
    about_the_disk.then(|| std::io::Error::new(error.kind(), error.to_string()))
}

fn unreadable(path: &Path, error: &FormatError) -> OpenError {
    let (path, reason) = (path.to_owned(), error.to_string());
    if let Some(source) = out_of_order(error) {
        return OpenError::Directory { path, source };
    }
    match error {
        FormatError::Newer(_) => OpenError::Newer { path, reason },
        FormatError::Older(_) => OpenError::Older { path, reason },
        FormatError::Foreign
        | FormatError::Row(_)
        | FormatError::Numbers
        | FormatError::Entries { .. }
        | FormatError::Change(_)
        | FormatError::Journal
        | FormatError::Empty
        | FormatError::Rolled { .. }
        | FormatError::Pages
        | FormatError::Panic(_)
        | FormatError::Database(_) => OpenError::Damaged { path, reason },
    }
}
