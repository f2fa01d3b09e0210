//! A process with all that it started: how many they are, what memory they take, and their end.

use std::fs;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// Stands in the environment of a process and of all that it starts, also of what leaves its session.
pub(super) const MARK: &str = "PROCTOR_CONTESTANT";

/// How often what is left is looked for.
const ROUNDS: usize = 100;

#[derive(Debug)]
pub(super) struct Family {
    leader: u32,
    /// `MARK=…` as it stands in an environment.
    mark: String,
}

impl Family {
    pub(super) fn of(leader: u32, mark: &str) -> Family {
        Family { leader, mark: format!("{MARK}={mark}") }
    }

    /// What is above its limit, in words that do not depend on chance.
    pub(super) fn excess(&self, processes: u64, memory: u64) -> Option<String> {
        let members = self.session();
        if members.len() as u64 > processes {
            return Some(format!("started more than {processes} processes"));
        }
        let resident: u64 = members.iter().map(|pid| resident(*pid)).sum();
        (resident > memory).then(|| format!("took more than {} MiB of memory", memory >> 20))
    }

    /// Processes of the leader's session.
    fn session(&self) -> Vec<u32> {
        pids().filter(|pid| session_of(*pid) == Some(self.leader)).collect()
    }

    /// Ends the leader's group at once, then whatever bears its mark, until there is nothing.
    pub(super) fn kill(&self) {
        let leader = i32::try_from(self.leader).ok().and_then(Pid::from_raw);
        if let Some(leader) = leader {
            // OK to ignore: it may have ended before.
            let _ = kill_process_group(leader, Signal::KILL);
        }
        for _ in 0..ROUNDS {
            let left: Vec<u32> = pids()
                .filter(|pid| {
                    *pid != self.leader
                        && (session_of(*pid) == Some(self.leader) || self.bears_mark(*pid))
                        && !is_dead(*pid)
                })
                .collect();
            if left.is_empty() {
                return;
            }
            let ids = left.iter().filter_map(|pid| Pid::from_raw(i32::try_from(*pid).ok()?));
            for pid in ids {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }

    fn bears_mark(&self, pid: u32) -> bool {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|entry| entry == self.mark.as_bytes())
    }
}

fn pids() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Fields of `/proc/PID/stat` behind the name, which may hold anything.
fn stat(pid: u32) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    text.rsplit_once(") ").map(|(_, fields)| fields.to_owned())
}

fn session_of(pid: u32) -> Option<u32> {
    stat(pid)?.split(' ').nth(3)?.parse().ok()
}

fn is_dead(pid: u32) -> bool {
    stat(pid).is_none_or(|fields| fields.starts_with(['Z', 'X']))
}

/// Resident memory in bytes.
fn resident(pid: u32) -> u64 {
    let pages = || -> Option<u64> {
        let text = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
        text.split(' ').nth(1)?.parse().ok()
    };
    pages().unwrap_or(0) * rustix::param::page_size() as u64
}

/// Threads that the user has now: the limit of the system counts them all.
pub(super) fn threads_of_user() -> u64 {
    let own = rustix::process::getuid().as_raw();
    let threads = |pid: u32| -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        (field("Uid:")? == u64::from(own)).then(|| field("Threads:"))?
    };
    pids().filter_map(threads).sum()
}
