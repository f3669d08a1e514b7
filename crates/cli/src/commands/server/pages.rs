//! What the server answers beside the Kubernetes API.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use krono_apiserver::status::Status;
use krono_apiserver::{Body, Page};
use krono_store::DiskStore;

/// The path of a copy of all objects; a role allows it by naming it among its `nonResourceURLs`.
pub(super) const BACKUP: &str = "/krono/backup";

/// Bytes read at a time.
const PIECE: usize = 256 * 1024;

/// Hands out copies of a store.
#[derive(Debug)]
pub(super) struct Backup {
    store: Arc<DiskStore>,
    /// Where copies are made: where nobody else can write.
    directory: PathBuf,
    made: AtomicUsize,
}

impl Backup {
    pub(super) fn of(store: Arc<DiskStore>, directory: &Path) -> Self {
        Self { store, directory: directory.to_owned(), made: AtomicUsize::new(0) }
    }

    /// A copy in a file that has a name only while it is written.
    fn copy(store: &DiskStore, path: &Path) -> Result<(File, u64), Status> {
        let failed = |error: std::io::Error| Status::internal(format!("the copy cannot be read: {error}"));
        krono_store::backup(store, path).map_err(Status::internal)?;
        let opened = File::open(path);
        std::fs::remove_file(path).map_err(failed)?;
        let file = opened.map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        Ok((file, length))
    }
}

impl Page for Backup {
    fn answer(&self) -> Pin<Box<dyn Future<Output = Result<Body, Status>> + Send>> {
        let store = Arc::clone(&self.store);
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let path = self.directory.join(format!("backup-{number}"));
        Box::pin(async move {
            let copied = tokio::task::spawn_blocking(move || Self::copy(&store, &path)).await;
            let (file, length) = copied.map_err(Status::internal)??;
            Ok(Body::sized(length, futures_util::stream::unfold(file, next_piece)))
        })
    }
}

/// The next bytes; a file that cannot be read any further ends before its length, which the client sees.
async fn next_piece(mut file: File) -> Option<(bytes::Bytes, File)> {
    let read = tokio::task::spawn_blocking(move || {
        let mut piece = vec![0; PIECE];
        let length = file.read(&mut piece)?;
        piece.truncate(length);
        Ok::<_, std::io::Error>((bytes::Bytes::from(piece), file))
    });
    read.await.ok()?.ok().filter(|(piece, _)| !piece.is_empty())
}
