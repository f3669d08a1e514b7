//! Requests as data: small stories in YAML files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use serde::Deserialize;
use serde_json::Value;

use crate::exchange::Request;
use crate::variables::{self, Variables};

/// Requests that belong together; each story has a namespace of its own, `${ns}`.
#[derive(Clone, Debug)]
pub struct Story {
    /// The name of its file.
    pub name: String,
    /// What happens, in order.
    pub steps: Vec<Step>,
}

/// One request of a story.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Method and path, such as `GET /api/v1/nodes`.
    pub request: String,
    /// Names the step where the request alone does not.
    pub name: Option<String>,
    /// Headers beside the content type.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Whom the administrator speaks for.
    #[serde(rename = "as")]
    pub user: Option<String>,
    /// The groups of that user.
    #[serde(default)]
    pub groups: Vec<String>,
    /// A JSON body.
    pub body: Option<Value>,
    /// The body of a server-side apply.
    pub apply: Option<Value>,
    /// The body of a JSON merge patch.
    pub merge: Option<Value>,
    /// The body of a strategic merge patch.
    pub strategic: Option<Value>,
    /// The body of a JSON patch.
    pub json: Option<Value>,
    /// A body as it is written here.
    pub raw: Option<String>,
    /// The media type of the body, where it is not the usual one.
    #[serde(rename = "type")]
    pub media_type: Option<String>,
    /// Read so many events of a watch.
    pub events: Option<usize>,
    /// Ask again until the answer has this status code.
    #[serde(rename = "await")]
    pub awaited: Option<u16>,
    /// Variables to take from the answer, by JSON pointer into its body.
    #[serde(default)]
    pub capture: BTreeMap<String, String>,
    /// One request for each of these sets of variables.
    #[serde(default)]
    pub with: Vec<Variables>,
}

impl Story {
    /// All stories of a folder, by name.
    pub fn load_all(folder: &Path) -> anyhow::Result<Vec<Self>> {
        let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
        let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<_>>>()?;
        paths.retain(|path| path.extension().is_some_and(|it| it == "yaml"));
        paths.sort();
        paths.iter().map(|path| Self::load(path)).collect()
    }

    fn load(path: &Path) -> anyhow::Result<Self> {
        let name = path.file_stem().and_then(|it| it.to_str()).context("a story without a name")?;
        let text = fs::read_to_string(path)?;
        let steps: Vec<Step> =
            serde_saphyr::from_str(&text).with_context(|| format!("cannot read {name}"))?;
        let mut steps: Vec<Step> = steps.iter().flat_map(Step::expanded).collect();
        name_apart(&mut steps);
        Ok(Self { name: name.to_owned(), steps })
    }
}

/// Steps of the same name get a number, so that each can be spoken of.
fn name_apart(steps: &mut [Step]) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for step in steps {
        let name = step.name.clone().unwrap_or_else(|| step.request.clone());
        let times = seen.entry(name.clone()).or_default();
        *times += 1;
        step.name = Some(if *times == 1 { name } else { format!("{name} #{times}") });
    }
}

impl Step {
    fn expanded(&self) -> Vec<Self> {
        if self.with.is_empty() {
            return vec![self.clone()];
        }
        self.with.iter().map(|variables| self.filled(variables)).collect()
    }

    fn filled(&self, variables: &Variables) -> Self {
        let text = |it: &String| variables::text(it, variables);
        let value = |it: &Option<Value>| it.as_ref().map(|it| variables::value(it, variables));
        Self {
            request: text(&self.request),
            name: self.name.as_ref().map(text),
            headers: self.headers.iter().map(|(name, it)| (name.clone(), text(it))).collect(),
            user: self.user.as_ref().map(text),
            groups: self.groups.iter().map(text).collect(),
            body: value(&self.body),
            apply: value(&self.apply),
            merge: value(&self.merge),
            strategic: value(&self.strategic),
            json: value(&self.json),
            raw: self.raw.as_ref().map(text),
            media_type: self.media_type.as_ref().map(text),
            with: Vec::new(),
            ..self.clone()
        }
    }

    /// The request with its variables filled in.
    pub(crate) fn request(&self, variables: &Variables) -> anyhow::Result<Request> {
        let step = self.filled(variables);
        let Some((method, path)) = step.request.split_once(' ') else {
            bail!("{:?} is not a method and a path", step.request);
        };
        let (media_type, body) = step.content();
        let mut headers = step.headers.clone();
        if let Some(media_type) = media_type {
            headers.insert("content-type".to_owned(), media_type);
        }
        if let Some(user) = &step.user {
            headers.insert("impersonate-user".to_owned(), user.clone());
        }
        if !step.groups.is_empty() {
            headers.insert("impersonate-group".to_owned(), step.groups.join("\n"));
        }
        Ok(Request { method: method.parse()?, path: path.to_owned(), headers, body, events: step.events })
    }

    fn content(&self) -> (Option<String>, Vec<u8>) {
        let forms = [
            (&self.body, "application/json"),
            (&self.apply, "application/apply-patch+yaml"),
            (&self.merge, "application/merge-patch+json"),
            (&self.strategic, "application/strategic-merge-patch+json"),
            (&self.json, "application/json-patch+json"),
        ];
        let found = forms.iter().find_map(|(body, usual)| Some((*usual, body.as_ref()?.to_string())));
        let (usual, text) = match (found, &self.raw) {
            (Some((usual, text)), _) => (Some(usual), text),
            (None, Some(raw)) => (Some("application/json"), raw.clone()),
            (None, None) => (None, String::new()),
        };
        (self.media_type.clone().or(usual.map(str::to_owned)), text.into_bytes())
    }
}
