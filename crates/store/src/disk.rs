//! A store in one file, safe against crashes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::thread::JoinHandle;

use redb::Database;
use tokio::sync::{oneshot, watch};

use crate::format::{self, FormatError};
use crate::index::{Index, decide};
use crate::lock::Lock;
use crate::memory::REMEMBERED;
use crate::{Change, Commit, Compacted, Entry, Next, Page, Range, Store, Write, WriteError};

/// The file in a data directory.
pub(crate) const FILE: &str = "krono.redb";
/// Writes that share one flush to disk.
const MOST_TOGETHER: usize = 256;
/// Writes that wait for the committer; further ones wait to be queued.
const QUEUE: usize = 4_096;

/// A store in one file.
///
/// One thread commits: it takes the writes that are waiting, decides on them in order, writes them together and flushes once; then
/// readers and watchers see them and the writers are told. So what is acknowledged is on disk, and what is seen is too.
#[derive(Debug)]
pub struct DiskStore {
    shared: Arc<Shared>,
    queue: Option<SyncSender<Request>>,
    committer: Option<JoinHandle<()>>,
    _lock: Option<Lock>,
}

#[derive(Debug)]
struct Shared {
    index: RwLock<Index>,
    latest: watch::Sender<u64>,
}

impl Shared {
    fn read(&self) -> RwLockReadGuard<'_, Index> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Request {
    write: Write,
    reply: oneshot::Sender<Result<u64, WriteError>>,
}

/// How a store is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many changes are remembered, also over a restart.
    pub remembered: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { remembered: REMEMBERED }
    }
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
    #[error("the store {} cannot be read: {reason}; restore it from a backup or start with an empty directory", path.display())]
    Damaged {
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
        let file = private_file(&path);
        let file = file.map_err(|source| OpenError::Directory { path: directory.to_owned(), source })?;
        let database = Database::builder().create_file(file).map_err(|error| damaged(&path, &error))?;
        Self::start(database, &path, options, Some(lock))
    }

    /// Opens a store in storage of another kind, such as one that breaks down in a test.
    pub fn open_in(storage: impl redb::StorageBackend, options: &Options) -> Result<Self, OpenError> {
        let path = Path::new("(storage)");
        let database =
            Database::builder().create_with_backend(storage).map_err(|error| damaged(path, &error))?;
        Self::start(database, path, options, None)
    }

    fn start(
        database: Database,
        path: &Path,
        options: &Options,
        lock: Option<Lock>,
    ) -> Result<Self, OpenError> {
        // A first start that was interrupted leaves a file without tables.
        if format::is_blank(&database).map_err(|error| unreadable(path, &error))? {
            format::create(&database).map_err(|error| unreadable(path, &error))?;
        }
        let index = format::load(&database, options.remembered).map_err(|error| unreadable(path, &error))?;
        let latest = watch::channel(index.version()).0;
        let shared = Arc::new(Shared { index: RwLock::new(index), latest });
        let (queue, requests) = sync_channel(QUEUE);
        let committer = Committer { database, shared: Arc::clone(&shared), broken: None };
        let thread =
            std::thread::Builder::new().name("krono-store".into()).spawn(move || committer.run(&requests));
        let committer = thread.map_err(|source| OpenError::Directory { path: path.to_owned(), source })?;
        Ok(Self { shared, queue: Some(queue), committer: Some(committer), _lock: lock })
    }

    /// All of one version; values are shared, not copied.
    pub(crate) fn snapshot(&self) -> Index {
        self.shared.read().clone()
    }
}

impl Drop for DiskStore {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(committer) = self.committer.take() {
            // A committer that panicked has told its writers by dropping their replies.
            drop(committer.join());
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
        let (reply, outcome) = oneshot::channel();
        if let Some(queue) = &self.queue {
            // If the committer is gone the reply is dropped with the request, and the waiter is told so.
            drop(queue.send(Request { write, reply }));
        }
        Commit::waiting(outcome)
    }

    fn change_after(&self, prefix: &str, version: u64) -> Result<Next, Compacted> {
        self.shared.read().change_after(prefix, version)
    }

    fn subscribe(&self) -> watch::Receiver<u64> {
        self.shared.latest.subscribe()
    }

    fn compact(&self, version: u64) {
        self.shared.index.write().unwrap_or_else(PoisonError::into_inner).compact(version);
    }
}

/// The one thread that writes.
struct Committer {
    database: Database,
    shared: Arc<Shared>,
    /// Why nothing can be written any more.
    broken: Option<Arc<str>>,
}

impl Committer {
    fn run(mut self, requests: &Receiver<Request>) {
        while let Ok(first) = requests.recv() {
            let batch = std::iter::once(first).chain(requests.try_iter().take(MOST_TOGETHER - 1)).collect();
            self.commit(batch);
        }
    }

    fn commit(&mut self, batch: Vec<Request>) {
        let (changes, mut replies) = self.decide(batch);
        if !changes.is_empty() && self.broken.is_none() {
            if let Err(error) = format::append(&self.database, &changes, self.forgotten()) {
                self.broken = Some(error.to_string().into());
            } else {
                self.publish(changes);
            }
        }
        if let Some(reason) = &self.broken {
            for (outcome, _) in &mut replies {
                *outcome = Err(WriteError::Failed(Arc::clone(reason)));
            }
        }
        for (outcome, reply) in replies {
            // Whoever does not wait any more does not want to know.
            drop(reply.send(outcome));
        }
    }

    /// Decides on the writes in order, each seeing those before it.
    #[expect(clippy::type_complexity, reason = "each reply goes with its outcome")]
    fn decide(
        &self,
        batch: Vec<Request>,
    ) -> (Vec<Change>, Vec<(Result<u64, WriteError>, oneshot::Sender<Result<u64, WriteError>>)>) {
        let index = self.shared.read();
        let mut pending: HashMap<Arc<str>, Option<Entry>> = HashMap::new();
        let (mut changes, mut replies) = (Vec::with_capacity(batch.len()), Vec::with_capacity(batch.len()));
        for Request { write, reply } in batch {
            let version = index.version() + changes.len() as u64 + 1;
            let found = pending.get(&write.key).map_or_else(|| index.get(&write.key), Option::as_ref);
            let outcome = decide(write, found, version).map(|change| {
                let entry = change.current.clone().map(|value| Entry { value, version });
                pending.insert(Arc::clone(&change.key), entry);
                changes.push(change);
                version
            });
            replies.push((outcome, reply));
        }
        (changes, replies)
    }

    /// Changes up to here are dropped from the file: those that are no longer remembered.
    fn forgotten(&self) -> u64 {
        self.shared.read().compacted()
    }

    fn publish(&self, changes: Vec<Change>) {
        let mut index = self.shared.index.write().unwrap_or_else(PoisonError::into_inner);
        for change in changes {
            index.apply(change);
        }
        // Told under the lock, so that versions are told in order.
        self.shared.latest.send_replace(index.version());
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

fn damaged(path: &Path, error: &redb::DatabaseError) -> OpenError {
    OpenError::Damaged { path: path.to_owned(), reason: error.to_string() }
}

fn unreadable(path: &Path, error: &FormatError) -> OpenError {
    let (path, reason) = (path.to_owned(), error.to_string());
    match error {
        FormatError::Newer(_) => OpenError::Newer { path, reason },
        FormatError::Foreign | FormatError::Gap(_) | FormatError::Database(_) => {
            OpenError::Damaged { path, reason }
        }
    }
}
