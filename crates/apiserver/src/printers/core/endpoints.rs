//! Endpoints.

use crate::printers::selector::{NONE, with_more};
use crate::printers::{Heading, Shown};

pub(super) const ENDPOINTS: &[Heading] =
    &[Heading::NAME, Heading::told("Endpoints", addresses).field("/subsets"), Heading::AGE];

/// Addresses shown before the rest is only counted.
const LIMIT: usize = 3;

fn addresses(shown: &Shown<'_>) -> String {
    if shown.count("/subsets") == 0 {
        return NONE.to_owned();
    }
    let all: Vec<String> = shown.parts("/subsets").flat_map(|subset| of_subset(&subset)).collect();
    with_more(&all[..all.len().min(LIMIT)], all.len(), LIMIT, ",")
}

fn of_subset(subset: &Shown<'_>) -> Vec<String> {
    let addresses = || subset.parts("/addresses").map(|address| address.text("/ip").to_owned());
    if subset.count("/ports") == 0 {
        return addresses().collect();
    }
    let ports = subset.parts("/ports").map(|port| port.number("/port"));
    ports.flat_map(|port| addresses().map(move |address| host_port(&address, port))).collect()
}

fn host_port(address: &str, port: i64) -> String {
    if address.contains(':') { format!("[{address}]:{port}") } else { format!("{address}:{port}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::printers::testing::check_cell;
    use serde_json::{Value, json};

    #[test]
    fn endpoints() {
        let check = |subsets: Value, expect: &str| {
            check_cell(addresses, &json!({"subsets": subsets}), expect);
        };
        check(json!([]), "<none>");
        check(json!([{"addresses": [{"ip": "10.0.0.1"}]}]), "10.0.0.1");
        check(
            json!([{"addresses": [{"ip": "::1"}], "ports": [{"port": 80}, {"port": 81}]}]),
            "[::1]:80,[::1]:81",
        );
        let four = json!([{"ip": "1.1.1.1"}, {"ip": "1.1.1.2"}, {"ip": "1.1.1.3"}, {"ip": "1.1.1.4"}]);
        check(
            json!([{"addresses": four, "ports": [{"port": 80}]}]),
            "1.1.1.1:80,1.1.1.2:80,1.1.1.3:80 + 1 more...",
        );
    }
}
