//! The log of a controller, on standard error.

use tracing::level_filters::LevelFilter;

use crate::arguments::controller::{LogFormat, LogLevel};

/// Begins to write the log; only the first call in a process has an effect.
pub(super) fn start(format: LogFormat, level: LogLevel) {
    let builder = tracing_subscriber::fmt().with_max_level(filter(level)).with_writer(std::io::stderr);
    let started = match format {
        LogFormat::Text => builder.with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr())).try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
    drop(started);
}

fn filter(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
    }
}
