//! Who converts the objects of which definition.

use std::collections::HashMap;
use std::sync::Arc;

use super::Converter;
use super::https::HttpsWebhooks;
use super::webhook::{WebhookClient, WebhookConverter};
use crate::crd::{Conversion, Definition};

/// Converters in process by the name of their definition, and the client that calls webhooks.
#[derive(Clone, Debug)]
pub(crate) struct Converters {
    in_process: HashMap<String, Arc<dyn Converter>>,
    webhooks: Arc<dyn WebhookClient>,
}

impl Default for Converters {
    fn default() -> Self {
        Self { in_process: HashMap::new(), webhooks: Arc::new(HttpsWebhooks) }
    }
}

impl Converters {
    /// Lets `converter` convert the objects of a definition, whatever the definition says.
    pub(crate) fn insert(&mut self, definition: String, converter: Arc<dyn Converter>) {
        self.in_process.insert(definition, converter);
    }

    /// Calls webhooks with this client.
    pub(crate) fn call_with(&mut self, client: Arc<dyn WebhookClient>) {
        self.webhooks = client;
    }

    /// The converter of a definition; none where only `apiVersion` changes.
    pub(crate) fn of(&self, definition: &Definition) -> Option<Arc<dyn Converter>> {
        if let Some(converter) = self.in_process.get(&definition.name) {
            return Some(Arc::clone(converter));
        }
        match &definition.conversion {
            Conversion::None => None,
            Conversion::Webhook { webhook, review_versions } => Some(Arc::new(WebhookConverter::new(
                webhook.clone(),
                review_versions,
                Arc::clone(&self.webhooks),
            ))),
        }
    }
}
