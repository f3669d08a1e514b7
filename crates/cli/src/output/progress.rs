//! A line about work that takes long.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{JoinHandle, spawn};
use std::time::{Duration, Instant};

/// How often the line is drawn anew, and how long work may take without one.
const EVERY: Duration = Duration::from_secs(1);
/// To the beginning of the line, which is cleared.
const ANEW: &str = "\r\x1b[K";

/// For as long as this lives, a line on the terminal tells how far work has come that takes longer than a moment.
pub(crate) struct Progress {
    work: Arc<Mutex<Work>>,
    drawing: Option<(Sender<()>, JoinHandle<()>)>,
}

/// What is done at the moment.
#[derive(Clone, Debug, Default)]
struct Work {
    what: String,
    done: usize,
    /// None where nobody knows.
    total: Option<usize>,
}

impl Progress {
    pub(super) fn of(what: &str, is_seen: bool) -> Self {
        let work = Arc::new(Mutex::new(Work { what: what.to_owned(), ..Work::default() }));
        let drawing = is_seen.then(|| {
            let (end, ended) = channel();
            let work = Arc::clone(&work);
            (end, spawn(move || draw(&work, &ended)))
        });
        Self { work, drawing }
    }

    /// So many things are done from now on.
    pub(crate) fn begin(&self, what: &str, total: usize) {
        *lock(&self.work) = Work { what: what.to_owned(), done: 0, total: Some(total) };
    }

    /// One more is done.
    pub(crate) fn step(&self) {
        lock(&self.work).done += 1;
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((end, drawing)) = self.drawing.take() {
            drop(end);
            drop(drawing.join());
        }
    }
}

fn lock(work: &Mutex<Work>) -> MutexGuard<'_, Work> {
    work.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Draws until the other end is dropped, and leaves nothing behind. Whether anybody sees it matters to no result.
fn draw(work: &Mutex<Work>, ended: &Receiver<()>) {
    let (began, mut drawn) = (Instant::now(), false);
    while ended.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
        let line = line(&lock(work).clone(), began.elapsed());
        drop(write!(io::stderr(), "{ANEW}{line}"));
        drawn = true;
    }
    if drawn {
        drop(write!(io::stderr(), "{ANEW}"));
    }
}

fn line(work: &Work, took: Duration) -> String {
    let Work { what, done, total } = work;
    let seconds = took.as_secs();
    match total {
        Some(total) => format!("{what}: {done} of {total}, {seconds} s"),
        None => format!("{what}, {seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_what_is_done_and_how_far() {
        let check = |total: Option<usize>, steps: usize, milliseconds: u64, expected: &str| {
            let progress = Progress::of("looking", false);
            if let Some(total) = total {
                progress.begin("counting", total);
            }
            (0..steps).for_each(|_| progress.step());
            let took = Duration::from_millis(milliseconds);
            assert_eq!(line(&lock(&progress.work), took), expected);
        };
        check(None, 0, 1000, "looking, 1 s");
        check(None, 3, 61_900, "looking, 61 s");
        check(Some(1200), 0, 1010, "counting: 0 of 1200, 1 s");
        check(Some(1200), 340, 4000, "counting: 340 of 1200, 4 s");
    }

    #[test]
    fn new_work_begins_with_nothing_done() {
        let progress = Progress::of("looking", false);
        progress.begin("reading", 2);
        progress.step();
        progress.begin("writing", 5);
        assert_eq!(line(&lock(&progress.work), EVERY), "writing: 0 of 5, 1 s");
    }

    /// What ends within a moment is not told of, and nobody waits for the line.
    #[test]
    fn short_work_draws_nothing() {
        let began = Instant::now();
        drop(Progress::of("looking", true));
        assert!(began.elapsed() < EVERY);
    }
}
