//! Content that instances are to be rolled back to and that the CRD of their kind does not serve: their definition is asked
//! for it (V6, V22).
//!
//! Nothing is lost with it: the request stands on the instance, and whoever looks at that next asks again.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use krono_history::Digest;
use krono_planner::instance::Room;

use crate::queue::InstanceKey;

/// What instances wait for, and whether their definition has seen to it.
#[derive(Debug, Default)]
pub(crate) struct Rooms(Mutex<HashMap<InstanceKey, Room>>);

impl Rooms {
    /// An instance waits for some content to be served; whether that is news.
    pub(crate) fn ask(&self, key: &InstanceKey, content: Digest) -> bool {
        let mut all = self.lock();
        let is_news = all.get(key).is_none_or(|it| content_of(*it) != Some(content));
        if is_news {
            all.insert(key.clone(), Room::Awaited(content));
        }
        is_news
    }

    /// What has become of that.
    pub(crate) fn of(&self, key: &InstanceKey) -> Room {
        self.lock().get(key).copied().unwrap_or_default()
    }

    /// What instances of a definition wait for, or have waited for while their requests still stand.
    pub(crate) fn asked(&self, definition: &str) -> Vec<(InstanceKey, Digest)> {
        let all = self.lock();
        let of_definition = all.iter().filter(|(key, _)| &*key.definition == definition);
        of_definition.filter_map(|(key, room)| Some((key.clone(), content_of(*room)?))).collect()
    }

    /// The definition has seen what these wait for and has nothing left to do; those for whom that is news.
    pub(crate) fn settle<'a>(&self, asked: &'a [(InstanceKey, Digest)]) -> Vec<&'a InstanceKey> {
        let mut all = self.lock();
        let settled = asked.iter().filter(|(key, content)| {
            let room = all.get_mut(key).filter(|it| **it == Room::Awaited(*content));
            room.map(|it| *it = Room::Settled(*content)).is_some()
        });
        settled.map(|(key, _)| key).collect()
    }

    /// No request stands on an instance any longer.
    pub(crate) fn end(&self, key: &InstanceKey) {
        self.lock().remove(key);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<InstanceKey, Room>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn content_of(room: Room) -> Option<Digest> {
    match room {
        Room::Unasked => None,
        Room::Awaited(content) | Room::Settled(content) => Some(content),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn v22_only_what_the_definition_has_seen_is_settled() {
        let key = |name: &str| InstanceKey {
            definition: "app".into(),
            namespace: "default".to_owned(),
            name: name.to_owned(),
        };
        let content = |letter: &str| Digest::of_content("test", &json!(letter));
        let (rooms, a) = (Rooms::default(), key("a"));
        assert!(rooms.ask(&a, content("x")));
        assert!(!rooms.ask(&a, content("x")));
        let seen = rooms.asked("app");
        assert_eq!((rooms.asked("other"), &seen), (Vec::new(), &vec![(a.clone(), content("x"))]));
        assert!(rooms.ask(&a, content("y")));
        assert!(rooms.settle(&seen).is_empty());
        assert_eq!(rooms.of(&a), Room::Awaited(content("y")));
        assert_eq!(rooms.settle(&rooms.asked("app")), [&a]);
        assert_eq!(rooms.of(&a), Room::Settled(content("y")));
        assert!(rooms.settle(&rooms.asked("app")).is_empty());
        rooms.end(&a);
        assert_eq!(rooms.of(&a), Room::Unasked);
    }
}
