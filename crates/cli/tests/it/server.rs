//! `krono up` and what belongs to it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use k8s_openapi::api::coordination::v1::Lease;
use krono_model::names;
use kube::Api;
use kube::runtime::wait::await_condition;
use serde_json::{Value, json};

use crate::krono::{Run, command, krono};

/// Runs `krono` on a data directory.
fn on(directory: &Path, arguments: &[&str]) -> Run {
    let directory = directory.to_str().unwrap();
    let mut command = command(arguments);
    command.env("KRONO_DATA_DIR", directory).env("KRONO_LISTEN", "127.0.0.1:0").env("HOME", directory);
    command.output().unwrap().into()
}

/// A server in the background, ended with the test.
struct Detached<'d>(&'d Path);

impl<'d> Detached<'d> {
    fn start(directory: &'d Path, more: &[&str]) -> Self {
        let run = on(directory, &[&["up", "--detach", "--workloads", "none"][..], more].concat());
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run}");
        assert!(run.stdout.contains(" serves the Kubernetes API at https://127.0.0.1:"), "{run}");
        Self(directory)
    }
}

impl Drop for Detached<'_> {
    fn drop(&mut self) {
        drop(on(self.0, &["down"]));
    }
}

/// A server in the foreground, once it has said where it is.
fn foreground(directory: &Path) -> (Child, String) {
    started(command(&["up", "--listen", "127.0.0.1:0", "--workloads", "none"]), directory)
}

fn started(mut command: Command, directory: &Path) -> (Child, String) {
    command.env("KRONO_DATA_DIR", directory).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines().map(Result::unwrap);
    let mut said: Vec<String> = Vec::new();
    while said.last().is_none_or(|it| !it.starts_with("Stop it with ")) {
        said.push(lines.next().unwrap());
    }
    (child, said.join("\n"))
}

#[test]
fn up_status_down() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let missing = on(directory, &["status"]);
    assert_eq!(missing.code, Some(1), "{missing}");
    assert!(missing.stderr.contains("error: no server runs on ~/"), "{missing}");
    let server = Detached::start(directory, &[]);
    let running = on(directory, &["status"]);
    assert_eq!((running.code, running.stderr.as_str()), (Some(0), ""), "{running}");
    assert!(running.stdout.starts_with("process "), "{running}");
    let stopped = on(directory, &["down"]);
    assert_eq!((stopped.code, stopped.stderr.as_str()), (Some(0), ""), "{stopped}");
    assert_eq!(on(directory, &["down"]).code, Some(1));
    drop(server);
}

#[test]
fn a_second_server_is_told_of_the_first() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let _server = Detached::start(directory, &[]);
    let status = on(directory, &["status"]).stdout;
    let process = status.split(' ').nth(1).unwrap();
    for arguments in [&["up"][..], &["up", "--detach"], &["up", "--in-memory"], &["restore", "x"]] {
        let second = on(directory, arguments);
        assert_eq!(second.code, Some(2), "{arguments:?} {second}");
        assert!(second.stderr.contains(&format!("is in use by process {process};")), "{second}");
    }
}

#[cfg(unix)]
#[test]
fn what_it_writes_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let _server = Detached::start(&data, &[]);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    for file in ["kubeconfig", "krono.redb", "pki/ca.key", "pki/admin.key", "server.json", "log"] {
        assert_eq!(mode(&data.join(file)), 0o600, "{file}");
    }
}

#[test]
fn a_kubeconfig_of_others_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let theirs = directory.path().join("config");
    std::fs::write(&theirs, "clusters: [{name: prod}]\n").unwrap();
    let run = on(directory.path(), &["up", "--kubeconfig", theirs.to_str().unwrap()]);
    assert_eq!(run.code, Some(2), "{run}");
    assert!(run.stderr.contains("holds other clusters than krono's; it is left as it is\nhint: "), "{run}");
    assert_eq!(std::fs::read_to_string(theirs).unwrap(), "clusters: [{name: prod}]\n");
}

#[test]
fn mistakes_are_told_before_anything_starts() {
    let directory = tempfile::tempdir().unwrap();
    let check = |arguments: &[&str], code: i32, said: &str| {
        let run = on(directory.path(), arguments);
        assert_eq!(run.code, Some(code), "{arguments:?} {run}");
        assert!(run.stderr.contains(said), "{arguments:?} {run}");
    };
    check(&["up", "--listen", "nonsense"], 2, "invalid value 'nonsense' for '--listen <ADDRESS>'");
    check(&["up", "--listen", "192.0.2.1:1"], 2, "error: cannot listen on 192.0.2.1:1: ");
    check(&["up", "--token-file", "none.csv"], 2, "error: the token file none.csv cannot be read");
    let tokens = directory.path().join("tokens.csv");
    std::fs::write(&tokens, "a,b\n").unwrap();
    check(&["up", "--token-file", tokens.to_str().unwrap()], 1, "line 1 of the token file has 2 columns");
    check(&["up", "--detach", "--token-file", tokens.to_str().unwrap()], 1, "line 1 of the token file");
    check(&["restore", "none.krono"], 1, "none.krono is no backup that can be read: it is not a file");
}

#[test]
fn a_port_that_is_taken_leaves_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let run = on(&data, &["up", "--listen", &address]);
    assert_eq!(run.code, Some(2), "{run}");
    assert!(run.stderr.contains(&format!("error: cannot listen on {address}: ")), "{run}");
    assert!(!data.exists());
    let _server = Detached::start(&data, &[]);
    let second = on(&data, &["up", "--listen", &address]);
    assert!(second.stderr.contains("is in use by process "), "{second}");
}

#[test]
fn backups_are_the_same_of_a_server_and_of_its_directory() {
    let directory = tempfile::tempdir().unwrap();
    let (data, other) = (directory.path().join("data"), directory.path().join("other"));
    let file = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let server = Detached::start(&data, &[]);
    let running = on(&data, &["backup", &file("running")]);
    assert_eq!((running.code, running.stderr.as_str()), (Some(0), ""), "{running}");
    assert_eq!(on(&data, &["backup", &file("running")]).code, Some(2), "an existing file is left alone");
    drop(server);
    let stopped = on(&data, &["backup", &file("stopped")]);
    assert_eq!((stopped.code, stopped.stderr.as_str()), (Some(0), ""), "{stopped}");
    let again = on(&data, &["restore", &file("running")]);
    assert_eq!(again.code, Some(2), "{again}");
    let restored = on(&other, &["restore", &file("running")]);
    assert_eq!((restored.code, restored.stderr.as_str()), (Some(0), ""), "{restored}");
    let _server = Detached::start(&other, &[]);
    assert_eq!(on(&other, &["status"]).code, Some(0));
}

#[test]
fn a_server_in_memory_has_no_backup() {
    let directory = tempfile::tempdir().unwrap();
    let _server = Detached::start(directory.path(), &["--in-memory"]);
    let backup = directory.path().join("backup");
    let run = on(directory.path(), &["backup", backup.to_str().unwrap()]);
    assert_eq!(run.code, Some(1), "{run}");
    assert!(run.stderr.contains("error: the server keeps its objects in memory"), "{run}");
    assert!(!backup.exists());
}

#[cfg(unix)]
#[test]
fn signals_end_it_in_order() {
    use rustix::process::{Pid, Signal, kill_process};
    let directory = tempfile::tempdir().unwrap();
    for signal in [Signal::INT, Signal::TERM] {
        let (mut child, said) = foreground(directory.path());
        assert!(said.ends_with("Stop it with Ctrl-C."), "{said}");
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0));
        assert!(!directory.path().join("server.json").exists());
    }
}

/// How long a first object of a new definition takes, in a server that was started like this.
fn first_creation(more: &[&str]) -> Duration {
    let directory = tempfile::tempdir().unwrap();
    let _server = Detached::start(directory.path(), more);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(create_first(directory.path()))
}

async fn client(directory: &Path) -> kube::Client {
    let kubeconfig = kube::config::Kubeconfig::read_from(directory.join("kubeconfig")).unwrap();
    let options = kube::config::KubeConfigOptions::default();
    let config = kube::Config::from_custom_kubeconfig(kubeconfig, &options).await.unwrap();
    kube::Client::try_from(config).unwrap()
}

async fn create_first(directory: &Path) -> Duration {
    let client = client(directory).await;
    let post = async |path: &str, object: Value| {
        let request = http::Request::post(path).header("content-type", "application/json");
        client.request::<Value>(request.body(object.to_string().into_bytes()).unwrap()).await
    };
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.krono.dev"},
        "spec": {
            "group": "krono.dev", "scope": "Cluster", "names": {"plural": "things", "kind": "Thing"},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}},
            }],
        },
    });
    post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition).await.unwrap();
    let begin = Instant::now();
    let thing = json!({"apiVersion": "krono.dev/v1", "kind": "Thing", "metadata": {"name": "a"}});
    while post("/apis/krono.dev/v1/things", thing.clone()).await.is_err() {
        assert!(begin.elapsed() < Duration::from_secs(20), "the kind is never served");
    }
    begin.elapsed()
}

/// Whoever is killed cannot say good-bye.
#[tokio::test]
async fn v39_the_controllers_are_heard_of_as_long_as_they_are_there() {
    let directory = tempfile::tempdir().unwrap();
    let mut heard = None;
    for _ in 0..2 {
        let (mut server, _) = foreground(directory.path());
        let leases = Api::<Lease>::namespaced(client(directory.path()).await, "kube-system");
        let is_news = |lease: Option<&Lease>| {
            let spec = lease.and_then(|it| it.spec.as_ref());
            spec.is_some_and(|it| it.holder_identity.as_deref() == Some("krono-up") && it.renew_time > heard)
        };
        let lease = await_condition(leases, names::LEASE, is_news).await.unwrap().unwrap();
        server.kill().unwrap();
        server.wait().unwrap();
        heard = lease.spec.unwrap().renew_time;
    }
}

#[test]
fn definitions_are_served_at_once_or_slowly() {
    let slow = Duration::from_secs(2);
    assert!(first_creation(&[]) < slow);
    assert!(first_creation(&["--establishing", "slowly"]) >= slow);
}

#[cfg(target_os = "linux")]
#[test]
fn it_takes_as_many_connections_as_the_system_allows() {
    let directory = tempfile::tempdir().unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -Sn 64 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_krono"), "up"]);
    shell.args(["--listen", "127.0.0.1:0", "--workloads", "none"]);
    let (mut child, _) = started(shell, directory.path());
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", child.id())).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let files = limits.lines().find_map(|it| it.strip_prefix("Max open files")).unwrap();
    let mut numbers = files.split_whitespace();
    assert_eq!(numbers.next(), numbers.next(), "{limits}");
}

#[test]
fn help_shows_examples() {
    for name in ["up", "down", "status", "backup", "restore"] {
        let run = krono(&[name, "--help"]);
        assert!(run.code == Some(0) && run.stdout.contains(&format!("Examples:\n  krono {name}")), "{run}");
    }
}
