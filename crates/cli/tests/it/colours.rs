//! Colours, which are for terminals.

use std::process::Command;

use crate::cluster::Cluster;
use crate::cluster::fleet::fleet;
use crate::krono::{Run, left_out};

const TABLE: &str = "revisions list rgd/application";
const DIFFERENCE: &str = "revisions diff rgd/application 2 3";
const PREVIEW: &str = "rollback rgd/application --to-revision=1 --dry-run";

#[test]
fn only_a_terminal_that_did_not_refuse_them_gets_colours() {
    let cluster = fleet();
    for line in [TABLE, DIFFERENCE, PREVIEW, "revisions list rgd/unknown"] {
        let run = cluster.krono(&line.split(' ').collect::<Vec<_>>()).to_string();
        assert!(!run.contains('\x1b'), "{line}: {run}");
    }
    for (line, coloured) in [(DIFFERENCE, "\x1b[31m- replicas: 3\x1b[0m"), (PREVIEW, "\x1b[1;33m! service")] {
        let Some(shown) = on_a_terminal(&cluster, line, ("TERM", "xterm")) else { return };
        assert!(shown.contains(coloured), "{line}: {shown}");
        for refusal in [("NO_COLOR", "1"), ("TERM", "dumb")] {
            let shown = on_a_terminal(&cluster, line, refusal).unwrap_or_default();
            assert!(shown.contains("\n- ") && !shown.contains('\x1b'), "{refusal:?} {line}: {shown}");
        }
    }
}

/// What a terminal shows, as `script` of util-linux records it; nothing where there is none.
fn on_a_terminal(cluster: &Cluster, line: &str, (variable, value): (&str, &str)) -> Option<String> {
    if !std::path::Path::new("/usr/bin/script").is_file() {
        left_out("there is no /usr/bin/script, which makes a terminal");
        return None;
    }
    let mut script = Command::new("/usr/bin/script");
    script.args(["-qec", &format!("{} {line}", env!("CARGO_BIN_EXE_krono")), "/dev/null"]);
    script.env_remove("NO_COLOR").env("TERM", "xterm").env(variable, value);
    let run = Run::from(script.env("KUBECONFIG", cluster.kubeconfig()).output().unwrap());
    assert_eq!(run.code, Some(0), "{run}");
    Some(run.stdout)
}
