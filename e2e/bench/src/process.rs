//! What processes take of the machine, as Linux tells it.

use std::time::Duration;

use anyhow::Context;

/// Clock ticks per second in `/proc`; fixed by the interface of the kernel.
const TICKS: u64 = 100;

/// Processor time of all the processes so far.
pub(crate) fn processor_time(processes: &[u32]) -> anyhow::Result<Duration> {
    let mut ticks = 0;
    for id in processes {
        let text = std::fs::read_to_string(format!("/proc/{id}/stat")).context("a server has ended")?;
        let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
        // User and system time are the 14th and 15th field; the first two are before the bracket.
        ticks += fields.skip(11).take(2).filter_map(|it| it.parse::<u64>().ok()).sum::<u64>();
    }
    Ok(Duration::from_millis(ticks * 1000 / TICKS))
}

/// Resident memory of all the processes, in bytes.
pub(crate) fn resident(processes: &[u32]) -> anyhow::Result<u64> {
    let mut kibibytes = 0;
    for id in processes {
        let text = std::fs::read_to_string(format!("/proc/{id}/status")).context("a server has ended")?;
        let line = text.lines().find_map(|it| it.strip_prefix("VmRSS:")).context("no VmRSS")?;
        kibibytes += line.trim().trim_end_matches(" kB").trim().parse::<u64>()?;
    }
    Ok(kibibytes * 1024)
}
