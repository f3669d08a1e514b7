//! What must be there before the first request.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::json;

use super::access::administrator;
use super::{Api, Call, Subresource};
use crate::accept::Form;
use crate::namespaces;
use crate::object::Object;
use crate::query::Query;
use crate::resource::Resource;
use crate::status::Status;

impl Api {
    /// Creates what every cluster has.
    pub(crate) async fn prepare(self: &Arc<Self>) -> Result<(), Status> {
        self.refresh_registry().await?;
        self.establishing.settle();
        let registry = self.registry.snapshot();
        let Some(resource) = registry.find("", "v1", "namespaces") else { return Ok(()) };
        for name in namespaces::INITIAL {
            let value = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
            self.ensure(resource, None, value).await?;
        }
        Ok(())
    }

    /// Creates an object unless it is there.
    pub(crate) async fn ensure(
        self: &Arc<Self>,
        resource: &Arc<Resource>,
        namespace: Option<&str>,
        value: serde_json::Value,
    ) -> Result<(), Status> {
        let Some(object) = Object::new(value) else { return Err(Status::internal("not an object")) };
        let call = Call::internal(Arc::clone(resource), namespace, "");
        match self.insert(&call, object, true).await {
            Ok(_) => Ok(()),
            Err(status) if status.reason == "AlreadyExists" => Ok(()),
            Err(status) => Err(status),
        }
    }
}

impl Call {
    /// A call that the server makes itself.
    pub(crate) fn internal(resource: Arc<Resource>, namespace: Option<&str>, name: &str) -> Self {
        Self {
            resource,
            namespace: namespace.map(str::to_owned),
            name: name.to_owned(),
            subresource: Subresource::None,
            query: Query::default(),
            form: Form::Object,
            body: Bytes::new(),
            content_type: None,
            user_agent: String::new(),
            user: administrator(),
        }
    }
}
