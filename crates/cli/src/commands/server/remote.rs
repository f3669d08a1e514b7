//! Asking a server that runs.

use std::path::Path;

use http_body_util::BodyExt as _;
use kube::Client;
use kube::client::Body;
use kube::config::{KubeConfigOptions, Kubeconfig};

use super::directory::shown;
use super::pages::BACKUP;
use crate::command_error::CommandError;

/// Fails unless the server says that it is ready.
pub(super) async fn is_ready(kubeconfig: &Path) -> Result<(), CommandError> {
    let request = request("/readyz")?;
    client(kubeconfig).await?.request_text(request).await.map(drop).map_err(|error| refused(&error))
}

/// Writes the server's copy of its objects into a new file.
pub(super) async fn backup(
    kubeconfig: &Path,
    mut file: std::fs::File,
    path: &Path,
) -> Result<(), CommandError> {
    let written = |error: std::io::Error| {
        CommandError::usage(format!("the backup {} cannot be written: {error}", shown(path)))
    };
    let client = client(kubeconfig).await?;
    let response = client.send(request(BACKUP)?.map(Body::from)).await.map_err(|error| refused(&error))?;
    let (parts, mut body) = response.into_parts();
    if !parts.status.is_success() {
        let text = body.collect().await.map_err(|error| refused(&error))?.to_bytes();
        return Err(CommandError::wrong(format!("the server made no backup: {}", message(&text))));
    }
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame.map_err(|error| refused(&error))?.into_data() {
            std::io::Write::write_all(&mut file, &data).map_err(written)?;
        }
    }
    file.sync_all().map_err(written)
}

async fn client(kubeconfig: &Path) -> Result<Client, CommandError> {
    let unusable = |error: &dyn std::fmt::Display| {
        CommandError::wrong(format!("the kubeconfig {} cannot be used: {error}", shown(kubeconfig)))
    };
    let config = Kubeconfig::read_from(kubeconfig).map_err(|error| unusable(&error))?;
    let config = kube::Config::from_custom_kubeconfig(config, &KubeConfigOptions::default()).await;
    Client::try_from(config.map_err(|error| unusable(&error))?).map_err(|error| unusable(&error))
}

fn request(path: &str) -> Result<http::Request<Vec<u8>>, CommandError> {
    http::Request::get(path).body(Vec::new()).map_err(|error| CommandError::usage(error.to_string()))
}

fn refused(error: &kube::Error) -> CommandError {
    CommandError::wrong(format!("the server does not answer: {}", super::up::said_with_cause(error)))
}

/// The message of a `Status`.
fn message(text: &[u8]) -> String {
    let status: Option<serde_json::Value> = serde_json::from_slice(text).ok();
    let message = status.as_ref().and_then(|it| it.get("message")?.as_str());
    message.map_or_else(|| String::from_utf8_lossy(text).into_owned(), str::to_owned)
}
