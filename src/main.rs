//! The `proctor` binary.

fn main() {}
