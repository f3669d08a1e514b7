//! Paths that the program around the server answers.

use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use crate::body::Body;
use crate::reply::Reply;
use crate::status::Status;

/// What is answered at a path beside the Kubernetes API, to users whose roles name it among their `nonResourceURLs`.
pub trait Page: fmt::Debug + Send + Sync {
    /// Makes the answer to one request.
    fn answer(&self) -> Pin<Box<dyn Future<Output = Result<Body, Status>> + Send>>;
}

/// All such paths.
pub(crate) type Pages = BTreeMap<String, Arc<dyn Page>>;

pub(crate) async fn reply(page: &dyn Page) -> Result<Reply, Status> {
    Ok(Reply::stream(page.answer().await?).with_content_type("application/octet-stream"))
}
