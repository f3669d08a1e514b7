//! Bad weather that follows from a seed, and processes that die of it.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use krono_apiserver::Server;
use krono_controller::{Controllers, Options};
use krono_sim::Random;
use kube::Client;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::kinds::BuiltIn;
use crate::line::{Fault, Interruption, Line, Weather};

/// How long it takes until another process is there.
const REST: Duration = Duration::from_secs(1);

/// How often things go wrong, in a thousand times.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Severity {
    /// A request is refused or lost, or its answer is.
    pub(crate) request: usize,
    /// A watch breaks off instead of telling something.
    pub(crate) watch: usize,
    /// The process dies instead of writing, or without hearing of the write.
    pub(crate) kill: usize,
    /// A request, an answer or an event takes a while.
    pub(crate) delay: usize,
}

/// One server, and processes of controllers on it, one after the other.
pub(crate) struct Storm {
    shared: Shared,
    /// The one that runs.
    process: watch::Sender<Option<Process>>,
    supervisor: JoinHandle<()>,
}

#[derive(Clone)]
struct Process {
    controllers: Arc<Controllers>,
    line: Line,
    died: watch::Sender<bool>,
}

/// What all processes have in common.
#[derive(Clone)]
struct Shared {
    sky: Arc<Mutex<Sky>>,
    /// Requests of all processes so far that were more than a question.
    writes: watch::Sender<usize>,
}

struct Sky {
    random: Random,
    severity: Severity,
}

impl Drop for Storm {
    fn drop(&mut self) {
        self.supervisor.abort();
    }
}

impl Storm {
    /// Starts the first process.
    pub(crate) fn begin(server: Server, severity: Severity, seed: u64) -> Self {
        let sky = Arc::new(Mutex::new(Sky { random: Random::new(seed), severity }));
        let shared = Shared { sky, writes: watch::Sender::new(0) };
        let process = watch::Sender::new(None);
        let supervisor = tokio::spawn(supervise(server, shared.clone(), process.clone()));
        Self { shared, process, supervisor }
    }

    /// From now on nothing goes wrong.
    pub(crate) fn end(&self) {
        self.shared.sky().severity = Severity::default();
    }

    /// Waits until the controllers have dealt with all that has happened; these are they.
    pub(crate) async fn quiet(&self) -> Arc<Controllers> {
        let mut process = self.process.subscribe();
        loop {
            let running = process.borrow_and_update().as_ref().map(|it| Arc::clone(&it.controllers));
            let quiet = async {
                match &running {
                    Some(controllers) => controllers.quiet().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = quiet => return running.expect("controllers"),
                _ = process.changed() => {}
            }
        }
    }

    /// Ends the process that runs; another follows.
    pub(crate) fn kill(&self) {
        if let Some(process) = self.process.send_replace(None) {
            process.died.send_replace(true);
        }
    }

    /// Ends all watches of the process that runs.
    pub(crate) fn interrupt_watches(&self) {
        if let Some(process) = &*self.process.borrow() {
            process.line.interrupt_watches();
        }
    }

    /// Requests of all processes so far that were more than a question.
    pub(crate) fn writes(&self) -> usize {
        *self.shared.writes.borrow()
    }

    /// Waits until there were so many more of those.
    pub(crate) async fn more_writes(&self, more: usize) {
        let mut writes = self.shared.writes.subscribe();
        let wanted = *writes.borrow() + more;
        drop(writes.wait_for(|it| *it >= wanted).await);
    }
}

/// Runs processes one after the other, each until it dies.
async fn supervise(server: Server, shared: Shared, process: watch::Sender<Option<Process>>) {
    loop {
        let line = Line::new(server.clone());
        let died = watch::Sender::new(false);
        let mut death = died.subscribe();
        line.expose(Life { shared: shared.clone(), died: died.clone() });
        let client = Client::new(line.clone(), "default");
        let controllers = Arc::new(Controllers::new(&client, Arc::new(BuiltIn), Options::default()));
        let running = Process { controllers: Arc::clone(&controllers), line: line.clone(), died };
        process.send_replace(Some(running));
        let death = async move { drop(death.wait_for(|it| *it).await) };
        tokio::select! {
            () = death => {}
            _ = controllers.run(std::future::pending()) => {}
        }
        line.cut();
        line.interrupt_watches();
        process.send_replace(None);
        tokio::time::sleep(REST).await;
    }
}

/// The weather over one process.
struct Life {
    shared: Shared,
    died: watch::Sender<bool>,
}

impl Shared {
    fn sky(&self) -> MutexGuard<'_, Sky> {
        self.sky.lock().expect("the sky")
    }
}

impl Weather for Life {
    fn fault(&mut self, request: &str) -> Option<Fault> {
        if *self.died.borrow() {
            return Some(Fault::Lost);
        }
        let is_write = !request.starts_with("GET");
        let mut sky = self.shared.sky();
        if is_write {
            self.shared.writes.send_modify(|it| *it += 1);
            let kill = sky.severity.kill;
            if sky.random.happens(kill) {
                self.died.send_replace(true);
                return Some(if sky.random.happens(500) { Fault::Lost } else { Fault::Unanswered });
            }
        }
        let bad = sky.severity.request;
        if !sky.random.happens(bad) {
            return None;
        }
        let faults: &[Fault] = match (is_write, request.contains("watch=true")) {
            (true, _) => &WRITE_FAULTS,
            (false, false) => &READ_FAULTS,
            (false, true) => &WATCH_FAULTS,
        };
        sky.random.pick(faults).copied()
    }

    fn delay(&mut self) -> Duration {
        let mut sky = self.shared.sky();
        let slow = sky.severity.delay;
        if !sky.random.happens(slow) {
            return Duration::ZERO;
        }
        let longest = if sky.random.happens(100) { 5000 } else { 50 };
        Duration::from_millis(sky.random.below(longest) as u64)
    }

    fn interruption(&mut self) -> Option<Interruption> {
        let mut sky = self.shared.sky();
        let bad = sky.severity.watch;
        let interruptions = [Interruption::End, Interruption::Torn, Interruption::Expired];
        if sky.random.happens(bad) { sky.random.pick(&interruptions).copied() } else { None }
    }
}

const WRITE_FAULTS: [Fault; 7] = [
    Fault::Refused(409),
    Fault::Refused(429),
    Fault::Refused(500),
    Fault::Lost,
    Fault::Unanswered,
    Fault::Broken,
    Fault::Severed,
];
const READ_FAULTS: [Fault; 5] =
    [Fault::Refused(429), Fault::Refused(500), Fault::Refused(503), Fault::Lost, Fault::Broken];
const WATCH_FAULTS: [Fault; 5] =
    [Fault::Refused(429), Fault::Refused(500), Fault::Refused(410), Fault::Lost, Fault::Broken];
