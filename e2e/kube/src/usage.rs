//! What processes take of the machine, as Linux tells it.

use std::io;
use std::time::Duration;

/// Clock ticks per second in `/proc`; fixed by the interface of the kernel.
const TICKS: u64 = 100;

/// Processor time of all the processes so far.
pub fn processor_time(processes: &[u32]) -> io::Result<Duration> {
    let mut ticks = 0;
    for id in processes {
        let text = std::fs::read_to_string(format!("/proc/{id}/stat"))?;
        let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
        // User and system time are the 14th and 15th field; the first two are before the bracket.
        ticks += fields.skip(11).take(2).filter_map(|it| it.parse::<u64>().ok()).sum::<u64>();
    }
    Ok(Duration::from_millis(ticks * 1000 / TICKS))
}

/// Processor time of the processes that this one has started and that have ended.
pub fn children_time() -> io::Result<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat")?;
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    // The 16th and 17th field.
    let ticks = fields.skip(13).take(2).filter_map(|it| it.parse::<u64>().ok()).sum::<u64>();
    Ok(Duration::from_millis(ticks * 1000 / TICKS))
}

/// Resident memory of all the processes, in bytes.
pub fn resident(processes: &[u32]) -> io::Result<u64> {
    let mut kibibytes = 0;
    for id in processes {
        let text = std::fs::read_to_string(format!("/proc/{id}/status"))?;
        let line = text.lines().find_map(|it| it.strip_prefix("VmRSS:")).unwrap_or_default();
        kibibytes += line.trim().trim_end_matches(" kB").trim().parse::<u64>().map_err(io::Error::other)?;
    }
    Ok(kibibytes * 1024)
}
