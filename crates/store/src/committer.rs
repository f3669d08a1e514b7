//! The one thread that writes.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, WeakUnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::commit::{Commit, Outcome, closed};
use crate::disk::panic_message;
use crate::format::FormatError;
use crate::index::decide;
use crate::ledger::Ledger;
use crate::shared::{Asleep, Shared};
use crate::{Change, Entry, Write, WriteError};

/// Writes that share one flush to disk.
const MOST_TOGETHER: usize = 256;
/// Bytes of values after which no further write joins a flush, so that watchers find them in the log.
const MOST_BYTES: usize = 4 << 20;
/// Writes that wait for the committer; further ones wait to be queued.
const QUEUE: usize = 4_096;

/// What the committer is asked to do.
enum Task {
    Write(Write),
    Compact(u64),
}

struct Request {
    task: Task,
    reply: oneshot::Sender<Outcome>,
    _slot: OwnedSemaphorePermit,
}

/// Where writes wait; when it is dropped the committer does what is queued and ends.
#[derive(Debug)]
pub(crate) struct Queue {
    sender: UnboundedSender<Request>,
    slots: Arc<Semaphore>,
}

impl Queue {
    pub(crate) fn write(&self, write: Write) -> Commit {
        self.submit(Task::Write(write))
    }

    pub(crate) fn compact(&self, version: u64) -> Commit {
        self.submit(Task::Compact(version))
    }

    fn submit(&self, task: Task) -> Commit {
        let (reply, outcome) = oneshot::channel();
        if let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() {
            // If the committer is gone the reply goes with the request, and the waiter is told so.
            drop(self.sender.send(Request { task, reply, _slot: slot }));
            return Commit::queued(outcome);
        }
        let queueing = queue_later(self.sender.downgrade(), Arc::clone(&self.slots), task, reply);
        Commit::waiting(Box::pin(queueing), outcome)
    }
}

/// Holds nothing that would keep a store open whose user has dropped it.
async fn queue_later(
    sender: WeakUnboundedSender<Request>,
    slots: Arc<Semaphore>,
    task: Task,
    reply: oneshot::Sender<Outcome>,
) -> Result<(), WriteError> {
    let slot = slots.acquire_owned().await.map_err(|_| closed())?;
    let sender = sender.upgrade().ok_or_else(closed)?;
    sender.send(Request { task, reply, _slot: slot }).map_err(|_| closed())
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.slots.close();
    }
}

/// Decides on writes in order, flushes them together, and only then lets anybody know.
pub(crate) struct Committer {
    ledger: Ledger,
    shared: Arc<Shared>,
    requests: UnboundedReceiver<Request>,
    /// Why nothing is written any more. A flush that failed may have reached the disk or not, and so may
    /// later ones: only reading the file anew can tell.
    broken: Option<Arc<str>>,
}

/// Writes under way, and what each writer will be told.
#[derive(Default)]
struct Batch {
    changes: Vec<Change>,
    /// Changes up to here are to be forgotten.
    forgotten: u64,
    replies: Vec<(Outcome, oneshot::Sender<Outcome>)>,
    bytes: usize,
}

impl Committer {
    pub(crate) fn new(ledger: Ledger, shared: Arc<Shared>) -> (Queue, Self) {
        let (sender, requests) = unbounded_channel();
        let queue = Queue { sender, slots: Arc::new(Semaphore::new(QUEUE)) };
        (queue, Self { ledger, shared, requests, broken: None })
    }

    /// Works until the queue is dropped, and gives the newest version that is on disk.
    pub(crate) fn run(mut self) -> u64 {
        while let Some(first) = self.requests.blocking_recv() {
            match self.broken.clone() {
                Some(reason) => drop(first.reply.send(Err(WriteError::Failed(reason)))),
                None => self.commit(first),
            }
        }
        if self.broken.is_none() {
            // What did not get into the database is still in the journal.
            drop(self.ledger.close());
        }
        self.shared.read().version()
    }

    fn commit(&mut self, first: Request) {
        let mut batch = self.gather(first);
        let asleep = match self.flush(&batch) {
            Ok(()) => Some(self.publish(&mut batch)),
            Err(reason) => {
                self.broken = Some(Arc::clone(&reason));
                for (outcome, _) in &mut batch.replies {
                    *outcome = Err(WriteError::Unknown(Arc::clone(&reason)));
                }
                None
            }
        };
        for (outcome, reply) in batch.replies {
            // Whoever does not wait any more does not want to know.
            drop(reply.send(outcome));
        }
        if let Some(asleep) = asleep {
            asleep.wake();
        }
    }

    /// Takes the writes that wait and decides on them in order, each seeing those before it.
    fn gather(&mut self, first: Request) -> Batch {
        let index = self.shared.read();
        let mut batch = Batch { forgotten: index.log().compacted(), ..Batch::default() };
        let mut pending: HashMap<Arc<str>, Option<Entry>> = HashMap::new();
        let mut next = Some(first);
        while let Some(Request { task, reply, .. }) = next {
            let version = index.version() + batch.changes.len() as u64;
            let outcome = match task {
                Task::Compact(asked) => {
                    batch.forgotten = batch.forgotten.max(asked.min(version));
                    Ok(batch.forgotten)
                }
                Task::Write(write) => {
                    let found = pending.get(&write.key).map_or_else(|| index.get(&write.key), Option::as_ref);
                    decide(write, found, version + 1).map(|change| batch.take(change, &mut pending))
                }
            };
            batch.replies.push((outcome, reply));
            let full = batch.replies.len() == MOST_TOGETHER || batch.bytes > MOST_BYTES;
            next = if full { None } else { self.requests.try_recv().ok() };
        }
        batch
    }

    fn flush(&mut self, batch: &Batch) -> Result<(), Arc<str>> {
        let (version, compacted) = self.shared.numbers();
        if batch.changes.is_empty() && batch.forgotten == compacted {
            return Ok(());
        }
        let write = || self.ledger.write(version + 1, &batch.changes, batch.forgotten);
        let written = catch_unwind(AssertUnwindSafe(write));
        let written = written.unwrap_or_else(|panic| Err(FormatError::Panic(panic_message(&*panic))));
        written.map_err(|error| error.to_string().into())
    }

    fn publish(&self, batch: &mut Batch) -> Asleep {
        let mut index = self.shared.lock();
        let asleep = self.shared.publish(&mut index, std::mem::take(&mut batch.changes));
        index.compact(batch.forgotten);
        asleep
    }
}

impl Batch {
    fn take(&mut self, change: Change, pending: &mut HashMap<Arc<str>, Option<Entry>>) -> u64 {
        let version = change.version;
        self.bytes += change.current.as_ref().map_or(0, bytes::Bytes::len);
        let entry = change.current.clone().map(|value| Entry { value, version });
        pending.insert(Arc::clone(&change.key), entry);
        self.changes.push(change);
        version
    }
}
