//! Plays a story on both servers.

use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::{Value, json};

use crate::difference::{Difference, differences};
use crate::exchange::{Reply, Request, send};
use crate::mask::masked;
use crate::servers::{Servers, Side};
use crate::story::{Step, Story};
use crate::variables::Variables;

const AWAIT_AT_MOST: Duration = Duration::from_secs(30);
const ASK_AGAIN_AFTER: Duration = Duration::from_millis(50);

/// What came of one step.
#[derive(Debug)]
pub struct Outcome {
    /// Its story.
    pub story: String,
    /// Its name.
    pub step: String,
    /// The request as the real server got it.
    pub request: String,
    /// Where the answers differ.
    pub differences: Vec<Difference>,
}

/// Plays the whole story; an error means that a server could not be asked.
pub async fn play(servers: &Servers, story: &Story) -> anyhow::Result<Vec<Outcome>> {
    let [real, krono] = servers.sides();
    let (real, krono) = tokio::join!(replies(real, story), replies(krono, story));
    let (real, krono) = (real?, krono?);
    let texts = |asked: &[Asked]| masked(&asked.iter().map(|it| it.reply.to_value()).collect::<Vec<_>>());
    let (real_values, krono_values) = (texts(&real), texts(&krono));
    let values = real_values.iter().zip(&krono_values);
    let steps = story.steps.iter().zip(&real).zip(values);
    let outcome = |((step, asked), (left, right)): ((&Step, &Asked), (&Value, &Value))| Outcome {
        story: story.name.clone(),
        step: step.name.clone().unwrap_or_default(),
        request: format!("{} {}", asked.request.method, asked.request.path),
        differences: differences(left, right),
    };
    Ok(steps.map(outcome).collect())
}

/// A request and what was answered.
struct Asked {
    request: Request,
    reply: Reply,
}

async fn replies(side: &Side, story: &Story) -> anyhow::Result<Vec<Asked>> {
    let mut variables = Variables::from([("ns".to_owned(), Value::from(story.name.clone()))]);
    make_namespace(side, &story.name).await?;
    let mut asked = Vec::new();
    for step in &story.steps {
        let what = || format!("story {}, step {}", story.name, step.name.as_deref().unwrap_or_default());
        let request = step.request(&variables).with_context(what)?;
        let reply = ask(side, step, &request).await.with_context(what)?;
        for (name, pointer) in &step.capture {
            variables.insert(name.clone(), reply.body.pointer(pointer).cloned().unwrap_or_default());
        }
        asked.push(Asked { request, reply });
    }
    Ok(asked)
}

async fn ask(side: &Side, step: &Step, request: &Request) -> anyhow::Result<Reply> {
    let started = Instant::now();
    loop {
        let reply = send(side, request).await?;
        let right = step.awaited.is_none_or(|status| status == reply.status);
        if right || started.elapsed() > AWAIT_AT_MOST {
            return Ok(reply);
        }
        tokio::time::sleep(ASK_AGAIN_AFTER).await;
    }
}

async fn make_namespace(side: &Side, name: &str) -> anyhow::Result<()> {
    let body = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    let step = Step { request: "POST /api/v1/namespaces".to_owned(), body: Some(body), ..Step::default() };
    send(side, &step.request(&Variables::new())?).await?;
    for furniture in ["serviceaccounts/default", "configmaps/kube-root-ca.crt"] {
        let request = format!("GET /api/v1/namespaces/{name}/{furniture}");
        let step = Step { request, awaited: Some(200), ..Step::default() };
        ask(side, &step, &step.request(&Variables::new())?).await?;
    }
    Ok(())
}
