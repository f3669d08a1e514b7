//! Tells the linker how the program that ships is laid out; see `xtask dist`.

use std::env;

/// Names the file with the symbols that come first.
const ORDER: &str = "KRONO_FUNCTION_ORDER";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={ORDER}");
    let Ok(order) = env::var(ORDER) else { return };
    println!("cargo::rerun-if-changed={order}");
    let flags = [
        &format!("--symbol-ordering-file={order}"),
        // What is not linked in need not be laid out.
        "--no-warn-symbol-ordering",
        // Functions with the same instructions are one; no Rust program may tell them apart by their addresses.
        "--icf=all",
        // Addresses to adjust at the start take 800 kB otherwise. Needs glibc 2.36.
        "-z",
        "pack-relative-relocs",
    ];
    println!("cargo::rustc-link-arg-bins=-Wl,{}", flags.join(","));
}
