//! Many requests, some at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::Asked;
use crate::servers::Side;
use krono_e2e_kube::processor_time;

/// How fast requests were answered.
pub(crate) struct Speed {
    pub(crate) seconds: f64,
    /// Of each request, shortest first.
    pub(crate) latencies: Vec<Duration>,
    /// Of the server.
    pub(crate) processor: Duration,
}

impl Speed {
    pub(crate) fn quantile(&self, part: f64) -> f64 {
        milliseconds(&self.latencies, part)
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of requests are small")]
    pub(crate) fn to_value(&self) -> Value {
        let count = self.latencies.len() as f64;
        json!({
            "requests": self.latencies.len(),
            "per_second": (count / self.seconds).round(),
            "p50_ms": self.quantile(0.5),
            "p99_ms": self.quantile(0.99),
            "server_cpu_ms_per_1000": (self.processor.as_secs_f64() * 1e6 / count).round(),
        })
    }
}

/// A quantile of sorted durations, in milliseconds.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small counts"
)]
pub(crate) fn milliseconds(sorted: &[Duration], part: f64) -> f64 {
    let index = ((sorted.len() as f64 * part) as usize).min(sorted.len().saturating_sub(1));
    let found = sorted.get(index).map_or(0.0, Duration::as_secs_f64);
    (found * 1e6).round() / 1e3
}

/// Sends `count` requests over `at_a_time` connections; the n-th is made by `asked(n)`.
pub(crate) async fn run(
    side: &Side,
    count: usize,
    at_a_time: usize,
    asked: impl Fn(usize) -> Asked + Send + Sync + 'static,
) -> anyhow::Result<Speed> {
    let (asked, next) = (Arc::new(asked), Arc::new(AtomicUsize::new(0)));
    let mut connections = Vec::new();
    for _ in 0..at_a_time {
        connections.push(side.target.connect().await?);
    }
    let before = processor_time(&side.processes)?;
    let begin = Instant::now();
    let workers = connections.into_iter().map(|mut connection| {
        let (asked, next) = (Arc::clone(&asked), Arc::clone(&next));
        tokio::spawn(async move {
            let mut latencies = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return anyhow::Ok(latencies);
                }
                let request = asked(number);
                let sent = Instant::now();
                connection.send(&request).await?;
                latencies.push(sent.elapsed());
            }
        })
    });
    let workers: Vec<_> = workers.collect();
    let mut latencies = Vec::new();
    for worker in workers {
        latencies.extend(worker.await??);
    }
    let seconds = begin.elapsed().as_secs_f64();
    latencies.sort();
    Ok(Speed { seconds, latencies, processor: processor_time(&side.processes)?.saturating_sub(before) })
}
