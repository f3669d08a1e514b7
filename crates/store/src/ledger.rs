//! Where committed changes are safe: at once in the journal, later in the database.

use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;

use redb::Database;

use crate::Change;
use crate::disk::guarded;
use crate::format::{self, FormatError, Numbers};
use crate::journal::Journal;

type Outcome = Result<(), FormatError>;

/// Changes that are safe, wherever they lie.
pub(crate) struct Ledger {
    journal: Journal,
    database: Writer,
    /// What the half of the journal that is being written holds.
    recent: Changes,
}

/// Some changes in order, and up to where changes are to be forgotten.
#[derive(Default)]
struct Changes {
    changes: Vec<Change>,
    forgotten: u64,
}

impl Ledger {
    /// A ledger whose journal holds nothing that is not in the database.
    pub(crate) fn new(journal: Journal, database: Database, numbers: Numbers) -> std::io::Result<Self> {
        Ok(Self { journal, database: Writer::start(database, numbers)?, recent: Changes::default() })
    }

    /// Makes changes safe, of which the first has this version, and forgets those up to `forgotten`.
    pub(crate) fn write(&mut self, first: u64, changes: &[Change], forgotten: u64) -> Outcome {
        self.database.look()?;
        let fits = self.journal.prepare(first, changes, forgotten);
        if !self.journal.has_room() {
            self.turn()?;
        }
        if !fits {
            self.database.wait()?;
            self.database.begin(Changes { changes: changes.to_vec(), forgotten });
            return self.database.wait();
        }
        self.journal.append()?;
        self.recent.changes.extend_from_slice(changes);
        self.recent.forgotten = forgotten;
        Ok(())
    }

    /// Lets what is in this half of the journal go into the database, and goes on in the other.
    fn turn(&mut self) -> Outcome {
        self.database.wait()?;
        self.database.begin(std::mem::take(&mut self.recent));
        self.journal.turn();
        Ok(())
    }

    /// Leaves nothing that is in the journal alone. When it fails, what is there is still safe.
    pub(crate) fn close(mut self) -> Outcome {
        self.turn()?;
        self.database.wait()
    }
}

/// The thread that writes the database, one piece of work at a time.
struct Writer {
    work: Option<Sender<Changes>>,
    done: Receiver<Outcome>,
    busy: bool,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    fn start(database: Database, mut numbers: Numbers) -> std::io::Result<Self> {
        let (work, to_do) = channel::<Changes>();
        let (outcomes, done) = channel();
        let thread = std::thread::Builder::new().name("krono-database".into()).spawn(move || {
            for Changes { changes, forgotten } in to_do {
                let written = guarded(|| format::append(&database, numbers, &changes, forgotten));
                // Without a listener the outcome does not matter: the journal has it all.
                drop(outcomes.send(written.map(|after| numbers = after)));
            }
        })?;
        Ok(Self { work: Some(work), done, busy: false, thread: Some(thread) })
    }

    /// Begins to write; nothing may be under way.
    fn begin(&mut self, changes: Changes) {
        if changes.changes.is_empty() && changes.forgotten == 0 {
            return;
        }
        self.busy = true;
        // A thread that is gone shows when its outcome is waited for.
        drop(self.work.as_ref().map(|it| it.send(changes)));
    }

    /// Waits for what is under way.
    fn wait(&mut self) -> Outcome {
        if !std::mem::take(&mut self.busy) {
            return Ok(());
        }
        self.done.recv().unwrap_or_else(|_| Err(lost()))
    }

    /// Says how what was under way went, if it is done.
    fn look(&mut self) -> Outcome {
        if !self.busy {
            return Ok(());
        }
        match self.done.try_recv() {
            Err(TryRecvError::Empty) => Ok(()),
            Ok(outcome) => {
                self.busy = false;
                outcome
            }
            Err(TryRecvError::Disconnected) => Err(lost()),
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.work = None;
        // The file is free once the thread has ended.
        drop(self.thread.take().map(JoinHandle::join));
    }
}

fn lost() -> FormatError {
    FormatError::Panic("the thread that writes it has ended".to_owned())
}
