//! The commands that the design of revisions shows, typed as they stand there: what they print must be what it prints.

mod applied;
mod lived;

use std::path::Path;

use crate::cluster::fleet::fleet;
use crate::krono::left_out;

/// The design, shared between projects and not part of this one.
const DESIGN: &str = "../../../shared/seeds/000_1e6af9f4b8c2366b.txt";

/// Every command block of the design, in its order, and what it prints.
const COMMANDS: [(&str, &str); 11] = [
    (
        "kro revisions list rgd/application",
        "\
REVISION  CREATED              INSTANCES  STATUS
3         2025-01-15 10:30:00  47         Current
2         2025-01-14 09:00:00  3          Active
1         2025-01-10 08:00:00  0          Prunable
",
    ),
    (
        "kro revisions diff rgd/application --from=2 --to=3",
        "--- revision 2\n+++ revision 3\n@@ spec.resources.0.template.spec @@\n- replicas: 3\n+ replicas: 5\n",
    ),
    (
        "kro rollback rgd/application --to-revision=2",
        "\
Rolling back to revision 2...
Created revision 4 (content from revision 2)
47 instances will reconcile to new revision
",
    ),
    (
        "kro revisions list application/my-app",
        "\
INPUT-REV  RGD-REV  CREATED              STATUS
12         3        2025-01-15 10:35:00  Completed
11         3        2025-01-15 09:00:00  Superseded
10         2        2025-01-14 10:00:00  Superseded
",
    ),
    (
        "kro rollback application/my-app --to-input-revision=10",
        "Rolling back to input revision 10...\nInstance will reconcile to RGD revision 2\n",
    ),
    (
        "kro pin application/my-app --rgd-revision=2",
        "Instance pinned to RGD revision 2\nWill not receive updates from newer RGD revisions\n",
    ),
    ("kro unpin application/my-app", "Instance unpinned, will use latest RGD revision\n"),
    // These stand where rollback is described, without what they print.
    ("kro rollback rgd application --to-revision=2", ""),
    ("kubectl annotate rgd application kro.run/rollback-to-revision=2", ""),
    ("kro rollback instance application/my-app --to-input-revision=10", ""),
    ("kubectl annotate application my-app kro.run/rollback-to-input-revision=10", ""),
];

#[test]
fn the_commands_are_those_of_the_design() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(DESIGN);
    let Ok(design) = std::fs::read_to_string(&path) else {
        left_out(&format!("the design is not at {}", path.display()));
        return;
    };
    let printed = commands(&design);
    for (command, output) in COMMANDS {
        assert!(printed.contains(&(command.to_owned(), output.to_owned())), "{command}\n{printed:#?}");
    }
    assert_eq!(printed.len(), COMMANDS.len(), "{printed:#?}");
}

/// The commands of all blocks, each with the comment lines behind it.
fn commands(design: &str) -> Vec<(String, String)> {
    let blocks =
        design.split("```bash\n").skip(1).filter_map(|it| it.split_once("```")).map(|(block, _)| block);
    let mut found: Vec<(String, String)> = Vec::new();
    for block in blocks {
        let mut printed: Option<&mut String> = None;
        for line in block.lines() {
            if line.starts_with("kro ") || line.starts_with("kubectl ") {
                found.push((line.to_owned(), String::new()));
                printed = found.last_mut().map(|(_, printed)| printed);
            } else if let (Some(text), Some(printed)) = (line.strip_prefix("# "), printed.as_mut()) {
                printed.extend([text, "\n"]);
            } else {
                printed = None;
            }
        }
    }
    found
}

/// Without a controller a rollback is asked for and no more.
#[test]
fn the_commands_print_what_the_design_prints() {
    let cluster = fleet();
    for (command, expected) in COMMANDS {
        let Some(words) = command.strip_prefix("kro ") else { continue };
        let mut words: Vec<&str> = words.split(' ').collect();
        if words[0] == "rollback" {
            words.extend(["--yes", "--wait=false"]);
        }
        let told = cluster.told(&words);
        if expected.is_empty() {
            assert!(told.starts_with("Rolling back to "), "{command}: {told}");
        } else if expected.contains("Created revision") {
            assert_eq!(told, "Rolling back to revision 2...\n", "{command}");
        } else {
            assert_eq!(told, expected, "{command}");
        }
    }
}
