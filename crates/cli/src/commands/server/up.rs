//! `krono up`.

use std::convert::Infallible;
use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use krono_apiserver::Server;
use krono_apiserver::authentication::Tokens;
use krono_apiserver::certificates::{Certificates, Tls};
use krono_apiserver::https::{Https, Limits};
use krono_controller::{Controllers, Leadership, Options};
use krono_history::witness::Notes;
use krono_store::{DirectoryLock, DiskStore, OpenError};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::directory::{DataDirectory, Record, shown};
use super::pages::Backup;
use super::signals::Signals;
use super::witness::{self, Authors};
use super::{banner, block_on, detach, kubeconfig};
use crate::arguments::server::{ControllersWanted, Establishing, UpArguments, Workloads};
use crate::command_error::{CommandError, ErrorKind};
use crate::kinds::KnownKinds;
use crate::output::Output;

/// How often the certificates of a running server are looked at.
const RENEWAL: Duration = Duration::from_hours(24);
/// The lease by which the controllers of one process know of those before.
const LEASE_NAMESPACE: &str = "kube-system";
const LEASE_HOLDER: &str = "krono-up";

/// A server that is about to answer.
pub(super) struct Running<'a> {
    pub(super) arguments: &'a UpArguments,
    pub(super) directory: &'a DataDirectory,
    pub(super) record: &'a Record,
}

pub(crate) fn run(arguments: &UpArguments, output: &mut Output) -> Result<(), CommandError> {
    let directory = DataDirectory::of(&arguments.directory)?;
    if arguments.detach {
        return detach::run(&directory, output);
    }
    block_on(serve(arguments, &directory, output))
}

async fn serve(
    arguments: &UpArguments,
    directory: &DataDirectory,
    output: &mut Output,
) -> Result<(), CommandError> {
    let signals = Signals::catch(arguments.detached)?;
    allow_connections();
    let tokens = tokens(arguments.token_file.as_deref())?;
    let (listener, address) = bind(arguments.listen).await.map_err(|error| taken(directory, error))?;
    let objects = Objects::open(arguments, directory)?;
    let access = Access::prepare(arguments, directory, address)?;
    let builder = objects.builder(directory).root_ca(&access.authority).advertised(address);
    let builder = builder
        .witness(Arc::new(Authors))
        .imitate_establishing(arguments.establishing == Establishing::Slowly);
    let server = builder.start().await;
    let server = server.map_err(|error| CommandError::of(ErrorKind::Internal, error.to_string()))?;
    let workloads = workloads(arguments.workloads, &server);
    let controllers = controllers(arguments, &server).await?;
    directory.write_record(&access.record)?;
    output.text(&banner::text(&Running { arguments, directory, record: &access.record }))?;
    output.flush()?;
    let https = Https { listener, tls: access.tls.clone(), tokens, limits: Limits::default() };
    tokio::select! {
        () = server.serve(https, signals.first()) => {}
        never = access.renew_daily(directory, address) => match never {},
    }
    drop((workloads, controllers));
    directory.remove_record();
    drop(objects);
    Ok(())
}

/// Connections are open files, of which the system allows few unless it is asked for more.
fn allow_connections() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let maximum = getrlimit(Resource::Nofile).maximum;
        // Where it is refused, connections wait until others end.
        setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).unwrap_or_default();
    }
}

/// Does what becomes of workloads, until it is dropped.
fn workloads(wanted: Workloads, server: &Server) -> Option<oneshot::Sender<()>> {
    match wanted {
        Workloads::None => None,
        Workloads::Simulate => {
            let (stop, stopped) = oneshot::channel::<()>();
            let options = krono_workloads::Options::new(krono_workloads::Scope::Everything);
            // In process there is always an answer.
            tokio::spawn(krono_workloads::run(server.client(), options, async { drop(stopped.await) }));
            Some(stop)
        }
    }
}

/// Serves definitions until it is dropped; their kind is known when this returns.
async fn controllers(
    arguments: &UpArguments,
    server: &Server,
) -> Result<Option<oneshot::Sender<()>>, CommandError> {
    if arguments.controllers == ControllersWanted::None {
        return Ok(None);
    }
    let built_in = Arc::new(KnownKinds::default());
    let options = Options { notes: Notes::Believed, graph: arguments.limits.options(), ..Options::default() };
    let client = server.acting_as(witness::controllers()).client();
    let controllers = Controllers::new(&client, built_in, options);
    let installed = controllers.install().await;
    installed.map_err(|error| CommandError::of(ErrorKind::Internal, error.to_string()))?;
    let (stop, stopped) = oneshot::channel::<()>();
    let leadership = Leadership::new(client, LEASE_NAMESPACE, LEASE_HOLDER.to_owned());
    tokio::spawn(lead(controllers, leadership, async { drop(stopped.await) }));
    Ok(Some(stop))
}

/// Serves definitions, and lets it be known for as long as that is so: whoever does after this process knows for how long nobody
/// did (V39). Nobody else can have the data, so that a lease of an earlier process is no reason to wait.
async fn lead(controllers: Controllers, mut leadership: Leadership, stopped: impl Future<Output = ()>) {
    leadership.acquire(|_| ()).await;
    controllers.succeed(leadership.last_heard());
    tokio::select! {
        // In process there is always an answer.
        _ = controllers.run(stopped) => {}
        never = stay_heard(&mut leadership) => match never {},
    }
    leadership.release().await;
}

async fn stay_heard(leadership: &mut Leadership) -> Infallible {
    loop {
        leadership.hold().await;
        leadership.acquire(|_| ()).await;
    }
}

/// Where the objects are.
enum Objects {
    Memory { _lock: DirectoryLock },
    Disk(Arc<DiskStore>),
}

impl Objects {
    fn open(arguments: &UpArguments, directory: &DataDirectory) -> Result<Self, CommandError> {
        let opened = if arguments.in_memory {
            DirectoryLock::take(&directory.path).map(|lock| Self::Memory { _lock: lock })
        } else {
            DiskStore::open(&directory.path, &krono_store::Options::default())
                .map(|it| Self::Disk(Arc::new(it)))
        };
        opened.map_err(|error| open_error(&error))
    }

    fn builder(&self, directory: &DataDirectory) -> krono_apiserver::Builder {
        match self {
            Self::Memory { .. } => Server::builder(),
            Self::Disk(store) => Server::builder()
                .store(Arc::clone(store) as Arc<dyn krono_store::Store>)
                .page(super::pages::BACKUP, Arc::new(Backup::of(Arc::clone(store), &directory.path))),
        }
    }
}

/// Why a data directory cannot be opened, and what to do.
pub(super) fn open_error(error: &OpenError) -> CommandError {
    let OpenError::InUse { path, process } = error else {
        return CommandError::usage(said_with_cause(error));
    };
    let process = process.map_or_else(|| "another process".to_owned(), |it| format!("process {it}"));
    let path = shown(path);
    let error = CommandError::usage(format!(
        "the data directory {path} is in use by {process}; stop it first or choose another directory"
    ));
    error.hint("`krono status` tells where it runs, `krono down` stops it")
}

/// The error and what caused it.
pub(super) fn said_with_cause(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

fn tokens(file: Option<&Path>) -> Result<Tokens, CommandError> {
    let Some(file) = file else { return Ok(Tokens::default()) };
    let text = std::fs::read_to_string(file).map_err(|error| {
        CommandError::usage(format!("the token file {} cannot be read: {error}", shown(file)))
    })?;
    Tokens::parse(&text).map_err(|error| CommandError::wrong(format!("{}: {error}", shown(file))))
}

async fn bind(address: SocketAddr) -> Result<(TcpListener, SocketAddr), CommandError> {
    let bound = async {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    };
    bound.await.map_err(|error: std::io::Error| {
        CommandError::usage(format!("cannot listen on {address}: {error}"))
            .hint("choose another address with --listen; 127.0.0.1:0 takes a free port")
    })
}

/// Whoever starts a server twice learns of the first one, which has the address too.
fn taken(directory: &DataDirectory, error: CommandError) -> CommandError {
    let exists = directory.path.exists();
    match exists.then(|| DirectoryLock::take(&directory.path)) {
        Some(Err(in_use @ OpenError::InUse { .. })) => open_error(&in_use),
        Some(_) | None => error,
    }
}

/// How clients reach the server, and prove who they are.
struct Access {
    /// The certificate of the authority, as PEM.
    authority: String,
    tls: Tls,
    record: Record,
}

impl Access {
    fn prepare(
        arguments: &UpArguments,
        directory: &DataDirectory,
        address: SocketAddr,
    ) -> Result<Self, CommandError> {
        let certificates = certificates(directory, address)?;
        let url = url(address);
        let path = match &arguments.kubeconfig {
            Some(path) => std::path::absolute(path)?,
            None => directory.kubeconfig(),
        };
        kubeconfig::write(&path, &certificates.kubeconfig(&url))?;
        let tls = Tls::new(&certificates).map_err(|error| CommandError::usage(error.to_string()))?;
        let record = Record { url, kubeconfig: path, in_memory: arguments.in_memory };
        Ok(Self { authority: certificates.authority().to_owned(), tls, record })
    }

    /// Renews certificates before they end, for as long as the server runs.
    async fn renew_daily(&self, directory: &DataDirectory, address: SocketAddr) -> std::convert::Infallible {
        loop {
            tokio::time::sleep(RENEWAL).await;
            // What cannot be renewed today is tried again tomorrow; there are weeks until it matters.
            if let Ok(certificates) = certificates(directory, address) {
                drop(self.tls.replace(&certificates));
                drop(kubeconfig::write(&self.record.kubeconfig, &certificates.kubeconfig(&self.record.url)));
            }
        }
    }
}

fn certificates(directory: &DataDirectory, address: SocketAddr) -> Result<Certificates, CommandError> {
    Certificates::open(&directory.certificates(), &names(address))
        .map_err(|error| CommandError::usage(error.to_string()))
}

/// The names under which clients may know the server.
fn names(address: SocketAddr) -> Vec<String> {
    let service = [
        "kubernetes",
        "kubernetes.default",
        "kubernetes.default.svc",
        "kubernetes.default.svc.cluster.local",
    ];
    let mut names: Vec<String> = ["localhost"].iter().chain(&service).map(|it| (*it).to_owned()).collect();
    names.extend([IpAddr::from(Ipv4Addr::LOCALHOST), Ipv6Addr::LOCALHOST.into()].map(|it| it.to_string()));
    let own = address.ip().to_string();
    if !address.ip().is_unspecified() && !names.contains(&own) {
        names.push(own);
    }
    names
}

/// Where a client on this machine reaches the server.
fn url(address: SocketAddr) -> String {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip @ (IpAddr::V4(_) | IpAddr::V6(_)) => ip,
    };
    format!("https://{}", SocketAddr::new(ip, address.port()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_lead_to_this_machine() {
        let check = |address: &str, expect: &str| assert_eq!(url(address.parse().unwrap()), expect);
        check("127.0.0.1:6443", "https://127.0.0.1:6443");
        check("0.0.0.0:1", "https://127.0.0.1:1");
        check("[::]:1", "https://[::1]:1");
        check("10.1.2.3:1", "https://10.1.2.3:1");
    }

    #[test]
    fn the_address_is_among_the_names_once() {
        let count = |address: &str, name: &str| {
            names(address.parse().unwrap()).iter().filter(|it| *it == name).count()
        };
        assert_eq!(count("127.0.0.1:1", "127.0.0.1"), 1);
        assert_eq!(count("10.1.2.3:1", "10.1.2.3"), 1);
        assert_eq!(count("0.0.0.0:1", "0.0.0.0"), 0);
    }
}
