//! Many watches that have nothing to tell, and then one thing.

use std::time::Instant;

use anyhow::{Context, ensure};
use futures_util::future::try_join_all;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;

use crate::client::Connection;
use crate::operations;
use crate::servers::Side;
use krono_e2e_kube::resident;

/// What a watch may take of the server's memory, in bytes: its connection, TLS and itself.
const MOST_BYTES: u64 = 64 * 1024;
/// Connections opened at a time.
const AT_A_TIME: usize = 32;

/// Opens the watches, looks at the memory of the server, and lets each see one change.
pub(crate) async fn measure(side: &Side, count: usize) -> anyhow::Result<()> {
    let before = resident(&side.processes)?;
    let begin = Instant::now();
    let mut watches = Vec::with_capacity(count);
    while watches.len() < count {
        let next = AT_A_TIME.min(count - watches.len());
        watches.extend(try_join_all((0..next).map(|_| watch(side))).await?);
    }
    let each = resident(&side.processes)?.saturating_sub(before) / (count.max(1) as u64);
    println!("{count} watches after {:.1} s: {each} bytes each", begin.elapsed().as_secs_f64());
    side.target.connect().await?.send(&operations::create(0)).await?;
    let begin = Instant::now();
    for (_, events) in &mut watches {
        let frame = events.frame().await.context("a watch ended")??;
        let told = frame.data_ref().is_some_and(|it| it.starts_with(br#"{"type":"ADDED""#));
        ensure!(told, "a watch tells something else");
    }
    println!("all told {:.1} ms after the write", begin.elapsed().as_secs_f64() * 1000.0);
    ensure!(each <= MOST_BYTES, "a watch takes {each} bytes, more than {MOST_BYTES}");
    Ok(())
}

/// The connection lives as long as its sender.
async fn watch(side: &Side) -> anyhow::Result<(Connection, Incoming)> {
    let mut connection = side.target.connect().await?;
    let events = connection.open(&operations::watch_from_now()).await?.into_body();
    Ok((connection, events))
}
