//! All stories of `e2e/conformance/http`, compared.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::accepted::{Accepted, remove_accepted};
use crate::play::{Outcome, play};
use crate::servers::{Servers, quiet};
use crate::story::Story;

/// Plays all stories, or those whose names contain the text; returns figures with a boolean `pass`.
pub async fn run(only: Option<&str>) -> anyhow::Result<Map<String, Value>> {
    let mut stories = Story::load_all(&folder().join("http"))?;
    stories.retain(|story| only.is_none_or(|it| story.name.contains(it)));
    let servers = Servers::start(&quiet()).await?;
    let mut outcomes = Vec::new();
    for story in &stories {
        outcomes.extend(play(&servers, story).await?);
    }
    let accepted = Accepted::load(&folder().join("accepted.yaml"))?;
    let unused = remove_accepted(&accepted, &mut outcomes);
    let unused = if only.is_some() { Vec::new() } else { unused };
    report(&outcomes, &unused);
    Ok(figures(&outcomes, accepted.len(), unused.len()))
}

/// The folder of this crate, where the data lies.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn report(outcomes: &[Outcome], unused: &[&Accepted]) {
    for outcome in outcomes.iter().filter(|it| !it.differences.is_empty()) {
        println!("{}: {}\n   {}", outcome.story, outcome.step, outcome.request);
        for difference in &outcome.differences {
            println!("   {difference}");
        }
    }
    for accepted in unused {
        let story = accepted.story.as_deref().unwrap_or("any story");
        let step = accepted.step.as_deref().unwrap_or("any step");
        println!("accepted in {story}, {step:?}, at {:?}, but does not occur: remove it", accepted.at);
    }
}

fn figures(outcomes: &[Outcome], accepted: usize, unused: usize) -> Map<String, Value> {
    let equal = outcomes.iter().filter(|it| it.differences.is_empty()).count();
    println!("conformance-http: {equal}/{}", outcomes.len());
    let pass = equal == outcomes.len() && unused == 0;
    let figures = json!({
        "pass": pass, "requests": outcomes.len(), "equal": equal,
        "accepted_differences": accepted, "accepted_but_absent": unused,
    });
    figures.as_object().cloned().unwrap_or_default()
}
