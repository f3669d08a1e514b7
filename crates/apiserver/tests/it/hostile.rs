//! Clients that mean harm, over the wire.

use std::time::Duration;

use http_body_util::BodyExt;
use krono_apiserver::authentication::Tokens;
use krono_apiserver::https::Limits;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use crate::harness::MAPS;
use crate::network::{
    Network, PATIENCE, Shown, get, http1_sender, http2_sender, request, start, start_with, with_header,
};

/// The server is as well as before.
async fn check_alive(network: &Network) {
    let answer = timeout(PATIENCE, network.send(Shown::Administrator, get(MAPS))).await.unwrap();
    assert_eq!(answer.code, 200);
}

/// Sends bytes over TLS; gives what comes back until the server closes.
async fn exchange(network: &Network, bytes: &[u8]) -> String {
    let mut stream = network.connect(Shown::Administrator, "http/1.1").await;
    // The server may close before it has read all.
    drop(stream.write_all(bytes).await);
    drop(stream.flush().await);
    let mut back = Vec::new();
    drop(timeout(PATIENCE, stream.read_to_end(&mut back)).await.unwrap());
    String::from_utf8_lossy(&back).into_owned()
}

#[tokio::test]
async fn what_is_not_http_gets_400_or_nothing() {
    let network = start().await;
    let long = format!("GET /{} HTTP/1.1\r\nhost: a\r\n\r\n", "a".repeat(200_000));
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(1_000));
    let cases: [&[u8]; 10] = [
        b"nonsense\r\n\r\n",
        b"\0\0\0\0\0\0\0\0\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /\x01 HTTP/1.1\r\nhost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n",
        b"POST / HTTP/1.1\r\ntransfer-encoding: x\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff",
        long.as_bytes(),
        many.as_bytes(),
    ];
    for case in cases {
        let back = exchange(&network, case).await;
        let shown = String::from_utf8_lossy(&case[..case.len().min(60)]).into_owned();
        assert!(back.is_empty() || back.starts_with("HTTP/1.1 4"), "{shown}: {back}");
    }
    check_alive(&network).await;
}

#[tokio::test]
async fn what_is_not_tls_gets_nothing() {
    let network = start().await;
    for bytes in [&b"GET / HTTP/1.1\r\nhost: a\r\n\r\n"[..], &[0x16, 3, 1, 0xff, 0xff, 1], &[0; 4_096]] {
        let mut stream = network.tcp().await;
        drop(stream.write_all(bytes).await);
        drop(stream.shutdown().await);
        let mut back = Vec::new();
        drop(timeout(PATIENCE, stream.read_to_end(&mut back)).await.unwrap());
        assert!(!back.starts_with(b"HTTP"), "{back:?}");
    }
    check_alive(&network).await;
}

#[tokio::test]
async fn frames_that_are_not_http2_end_the_connection() {
    let network = start().await;
    let mut stream = network.connect(Shown::Administrator, "h2").await;
    let frame = [&b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..], &[0xff; 64]].concat();
    drop(stream.write_all(&frame).await);
    let mut back = Vec::new();
    drop(timeout(PATIENCE, stream.read_to_end(&mut back)).await.unwrap());
    check_alive(&network).await;
}

/// The answer to a POST of a map.
async fn posted(network: &Network, content_type: &str, body: impl Into<hyper::body::Bytes>) -> u16 {
    let asked = with_header(request("POST", MAPS, body), "content-type", content_type);
    timeout(PATIENCE, network.send(Shown::Administrator, asked)).await.unwrap().code
}

#[tokio::test]
async fn bodies_that_make_no_sense() {
    let network = start().await;
    let (json, yaml) = ("application/json", "application/yaml");
    let protobuf = "application/vnd.kubernetes.protobuf";
    let nested = |open: &str, close: &str| format!("{}{}", open.repeat(100_000), close.repeat(100_000));
    let anchors = (1..30).fold("a0: &a0 [x]\n".to_owned(), |text, n| {
        let before = n - 1;
        format!("{text}a{n}: &a{n} [*a{before}, *a{before}, *a{before}]\n")
    });
    let cases: Vec<(&str, Vec<u8>, u16)> = vec![
        (json, b"{".to_vec(), 400),
        (json, b"\xff\xfe".to_vec(), 400),
        (json, b"null".to_vec(), 400),
        (json, nested("[", "]").into_bytes(), 400),
        (json, nested("{\"a\":", "}").into_bytes(), 400),
        (yaml, nested("[", "]").into_bytes(), 400),
        (yaml, "- ".repeat(100_000).into_bytes(), 400),
        (yaml, anchors.into_bytes(), 400),
        (yaml, b"a: [".to_vec(), 400),
        (protobuf, b"k8s\0".to_vec(), 422),
        (protobuf, b"k8s\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff".to_vec(), 400),
        (protobuf, [&b"k8s\0"[..], &[0x0a; 100_000]].concat(), 400),
        ("text/html", b"<a>".to_vec(), 415),
    ];
    for (content_type, body, expect) in cases {
        let shown = String::from_utf8_lossy(&body[..body.len().min(40)]).into_owned();
        assert_eq!(posted(&network, content_type, body).await, expect, "{content_type} {shown}");
    }
    check_alive(&network).await;
}

/// A head that promises a body, and as much of the body as the server will take; the code of the answer, if one came.
async fn large_post(network: &Network, head: &str, piece: &[u8], pieces: usize) -> Option<String> {
    let stream = network.connect(Shown::Administrator, "http/1.1").await;
    let (mut reading, mut writing) = tokio::io::split(stream);
    let write = async {
        writing.write_all(head.as_bytes()).await?;
        for _ in 0..pieces {
            writing.write_all(piece).await?;
        }
        writing.flush().await
    };
    let mut back = Vec::new();
    let exchange = async { tokio::join!(write, reading.read_to_end(&mut back)) };
    drop(timeout(PATIENCE, exchange).await.unwrap());
    String::from_utf8_lossy(&back).split(' ').nth(1).map(str::to_owned)
}

#[tokio::test]
async fn ten_megabytes_are_too_much() {
    let network = start().await;
    let piece = vec![b'x'; 1 << 20];
    let announced =
        format!("POST {MAPS} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 10485760\r\n\r\n");
    let chunked =
        format!("POST {MAPS} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n");
    let chunk = [&b"100000\r\n"[..], &piece, b"\r\n"].concat();
    for code in
        [large_post(&network, &announced, &piece, 10).await, large_post(&network, &chunked, &chunk, 10).await]
    {
        // A client that goes on writing may find the connection closed before it reads the answer.
        assert!(code.is_none() || code.as_deref() == Some("413"), "{code:?}");
    }
    assert_eq!(posted(&network, "application/json", vec![b' '; 3 << 20]).await, 400);
    check_alive(&network).await;
}

#[tokio::test]
async fn a_body_is_not_read_for_those_who_may_not() {
    let network = start().await;
    let head = format!("POST {MAPS} HTTP/1.1\r\nhost: a\r\ncontent-length: 3000000\r\n\r\n");
    let mut stream = network.connect(Shown::Nothing, "http/1.1").await;
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.flush().await.unwrap();
    let mut back = [0; 12];
    timeout(PATIENCE, stream.read_exact(&mut back)).await.unwrap().unwrap();
    assert_eq!(&back, b"HTTP/1.1 403");
}

#[tokio::test]
async fn huge_selectors_are_answered() {
    let network = start().await;
    let labels: Vec<String> = (0..1_000).map(|n| format!("key{n}%3Dvalue{n}")).collect();
    let answer =
        network.send(Shown::Administrator, get(&format!("{MAPS}?labelSelector={}", labels.join(",")))).await;
    assert_eq!(answer.code, 200);
    let values: Vec<String> = (0..5_000).map(|n| format!("v{n}")).collect();
    let path = format!("{MAPS}?labelSelector=a%20in%20({})", values.join(","));
    assert_eq!(network.send(Shown::Administrator, get(&path)).await.code, 200);
    let path = format!("{MAPS}?labelSelector={}", "(".repeat(50_000));
    assert_eq!(network.send(Shown::Administrator, get(&path)).await.code, 400);
    check_alive(&network).await;
}

/// A server that is quick to give up, with one place.
async fn impatient() -> Network {
    let soon = Duration::from_millis(50);
    let limits =
        Limits { connections: 1, handshake: soon, idle: soon, body: soon, stall: soon, ..Limits::default() };
    start_with(limits, Tokens::default()).await
}

#[tokio::test]
async fn slow_clients_are_cut_off() {
    let network = impatient().await;
    let mut silent = network.tcp().await;
    let closed = timeout(PATIENCE, silent.read(&mut [0; 1])).await.unwrap();
    assert!(matches!(closed, Ok(0) | Err(_)), "{closed:?}");
    for part in [
        &b"GET / HTTP/1.1\r\nhost: "[..],
        b"POST /api/v1/namespaces HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n{",
    ] {
        let back = exchange(&network, part).await;
        assert!(back.is_empty() || back.starts_with("HTTP/1.1 400"), "{back}");
    }
    check_alive(&network).await;
}

#[tokio::test]
async fn a_client_that_does_not_read_is_cut_off() {
    let network = impatient().await;
    let text = "x".repeat(1 << 20);
    for n in 0..30 {
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("m{n}")}, "data": {"a": text}});
        let asked = http::Request::post(MAPS).body(http_body_util::Full::from(map.to_string())).unwrap();
        assert_eq!(network.server.handle(asked).await.status(), 201);
    }
    let mut stream = network.connect(Shown::Administrator, "http/1.1").await;
    stream.write_all(format!("GET {MAPS} HTTP/1.1\r\nhost: a\r\n\r\n").as_bytes()).await.unwrap();
    stream.flush().await.unwrap();
    // The only place is free again once the server has given up.
    assert_eq!(
        timeout(PATIENCE, network.send(Shown::Administrator, get("/readyz"))).await.unwrap().code,
        200
    );
    drop(stream);
}

/// Resident memory of this process, in bytes; nothing where it cannot be told.
fn resident() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|it| it.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<usize>().ok().map(|it| it * 1024)
}

#[tokio::test]
async fn ten_thousand_idle_watches() {
    const CONNECTIONS: usize = 50;
    const EACH: usize = 200;
    let network = start().await;
    let before = resident();
    let mut watches = Vec::new();
    for _ in 0..CONNECTIONS {
        let mut sender = http2_sender(network.connect(Shown::Administrator, "h2").await).await;
        for _ in 0..EACH {
            let response = sender.send_request(get(&format!("{MAPS}?watch=true"))).await.unwrap();
            watches.push(response.into_body());
        }
    }
    if let Some((before, after)) = before.zip(resident()) {
        let each = after.saturating_sub(before) / watches.len();
        // Client and server are one process here.
        assert!(each < 24 * 1024, "{each} bytes for each watch");
    }
    let created =
        network.send(Shown::Administrator, request("POST", MAPS, r#"{"metadata":{"name":"a"}}"#)).await;
    assert_eq!(created.code, 201);
    for watch in &mut watches {
        let frame = timeout(PATIENCE, watch.frame()).await.unwrap().unwrap().unwrap();
        assert!(frame.data_ref().is_some_and(|it| it.starts_with(br#"{"type":"ADDED""#)));
    }
}

#[tokio::test]
async fn hundreds_of_connections_that_watch() {
    let network = start().await;
    let mut watches = Vec::new();
    for _ in 0..200 {
        let mut sender = http1_sender(network.connect(Shown::Administrator, "http/1.1").await).await;
        let response = sender.send_request(get(&format!("{MAPS}?watch=true"))).await.unwrap();
        watches.push((sender, response.into_body()));
    }
    let asked = request("POST", MAPS, r#"{"metadata":{"name":"a"}}"#);
    assert_eq!(network.send(Shown::Administrator, asked).await.code, 201);
    for (_, watch) in &mut watches {
        let frame = timeout(PATIENCE, watch.frame()).await.unwrap().unwrap().unwrap();
        assert!(frame.data_ref().is_some_and(|it| it.starts_with(br#"{"type":"ADDED""#)));
    }
}
