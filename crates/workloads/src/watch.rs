//! What changes on the server, as one stream.

use futures_util::StreamExt;
use futures_util::stream::{BoxStream, SelectAll, select_all};
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{Config, Error, Event, watcher};
use kube::{Api, Client};

use crate::kind::{Kept, Kind, Object};
use crate::options::Scope;

/// Something observed.
#[derive(Debug)]
pub(crate) enum Change {
    /// A list begins.
    Begin(Kind),
    /// The list holds this.
    Listed(Object),
    /// The list ends.
    End(Kind),
    /// An object is new or different.
    Changed(Object),
    /// An object is gone.
    Gone(Object),
    /// A watch broke; it will be taken up again.
    Failed(Kind, String),
}

/// All changes of the kinds of a scope.
pub(crate) fn all(client: &Client, scope: Scope) -> SelectAll<BoxStream<'static, Change>> {
    select_all(Kind::watched(scope).into_iter().map(|kind| kind.watch(client)))
}

/// All changes of one kind.
pub(crate) fn changes<T: Kept>(client: &Client) -> BoxStream<'static, Change> {
    let events = watcher(Api::<T>::all(client.clone()), Config::default()).default_backoff();
    events.map(change::<T>).boxed()
}

fn change<T: Kept>(event: Result<Event<T>, Error>) -> Change {
    match event {
        Ok(Event::Init) => Change::Begin(T::KIND),
        Ok(Event::InitApply(object)) => Change::Listed(lean(object)),
        Ok(Event::InitDone) => Change::End(T::KIND),
        Ok(Event::Apply(object)) => Change::Changed(lean(object)),
        Ok(Event::Delete(object)) => Change::Gone(lean(object)),
        Err(error) => Change::Failed(T::KIND, error.to_string()),
    }
}

/// Nothing here looks at managed fields, which are half of many objects.
fn lean<T: Kept>(mut object: T) -> Object {
    object.meta_mut().managed_fields = None;
    object.into()
}
