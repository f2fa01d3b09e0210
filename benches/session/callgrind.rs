//! Instructions, counted by callgrind: the same on every run, where times are not.

use std::process::Command;

/// Whether valgrind is installed.
pub fn is_here() -> bool {
    Command::new("valgrind").arg("--version").output().is_ok()
}

/// Instructions of this bench when it is run with these arguments. What it starts is not counted.
pub fn count(args: &[&str]) -> f64 {
    let bench = std::env::current_exe().expect("the path of this bench");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(bench)
        .args(args)
        // One thread: making the fact book spins on others.
        .env("RAYON_NUM_THREADS", "1")
        .output()
        .expect("valgrind runs");
    let report = String::from_utf8_lossy(&output.stderr);
    let line = report.lines().find(|line| line.contains("Collected :"));
    let collected = line.and_then(|line| line.rsplit(' ').next()?.parse().ok());
    collected.expect("callgrind says how many instructions it collected")
}
