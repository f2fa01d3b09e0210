//! A process on Unix: how it is started, what it may use, and that nothing of it is left.

mod family;

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tempfile::TempDir;

use super::{Allowance, Broken, Heard, Start};
use crate::channel::{Channel, Silence};
use crate::door::Door;
use crate::prelude::*;
use family::Family;

/// How long a process may take to exit after it was asked to.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// The largest file that it may write.
const FILE: u64 = 1 << 30;

/// A running process with its pipes.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    channel: Channel,
    door: Option<Door>,
    family: Family,
    allowance: Allowance,
    _directory: TempDir,
}

impl Process {
    /// Starts the program in an empty directory, in a session of its own.
    pub(crate) fn start(start: &Start) -> Result<Process, String> {
        let directory = TempDir::with_prefix("proctor-contestant-");
        let directory = directory.map_err(|error| format!("no directory for it: {error}"))?;
        let (first, rest) = start.words.split_first().ok_or("its command has no words")?;
        let mark = directory.path().display().to_string();
        let door = Door::new();
        let mut command = Command::new(first);
        command
            .args(rest)
            .current_dir(directory.path())
            .env_clear()
            .envs(environment(directory.path()))
            .envs(start.environment.iter().map(|(name, value)| (name, value)))
            .env(family::MARK, &mark)
            .envs(door.iter().flat_map(Door::environment))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        limit(&mut command, start.allowance);
        let failed = |error: std::io::Error| format!("`{}`: {error}", first.display());
        let mut child = command.spawn().map_err(failed)?;
        let family = Family::of(child.id(), &mark);
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err("it has no pipes".to_owned());
        };
        let most = start.allowance.answer_bytes;
        let channel = Channel::new(input, output, errors, most).map_err(failed)?;
        let allowance = start.allowance;
        Ok(Process { child, channel, door, family, allowance, _directory: directory })
    }

    /// The way in for its own client.
    pub(crate) fn door(&self) -> Option<&Door> {
        self.door.as_ref()
    }

    /// Sends a line and waits for one, or for its client at the door. No line goes on with the
    /// waiting.
    pub(crate) fn ask(&mut self, line: &[u8], time: Duration) -> Result<Heard, Broken> {
        if !line.is_empty() && self.channel.is_ahead() {
            return Err(self.broken("wrote a second line where one answers".to_owned()));
        }
        let (family, allowance) = (&self.family, self.allowance);
        let bell = self.door.as_ref().map(Door::bell);
        let look = || family.excess(allowance.processes, allowance.memory_bytes);
        let answer = self.channel.exchange(line, true, Instant::now() + time, bell, look);
        answer.map_err(|silence| {
            let reason = match silence {
                Silence::Closed => self.ended(),
                Silence::TimeOut if self.channel.is_midway() => {
                    format!("ended no line in {} seconds", time.as_secs())
                }
                Silence::TimeOut => format!("gave no answer in {} seconds", time.as_secs()),
                Silence::Flood => {
                    format!("wrote more than {} MiB in one line", allowance.answer_bytes >> 20)
                }
                Silence::NoText => "wrote a line that is no UTF-8".to_owned(),
                Silence::Excess(found) => found,
            };
            self.broken(reason)
        })
    }

    fn broken(&mut self, reason: String) -> Broken {
        Broken { reason, said: self.kill() }
    }

    /// Ends the process with all that it started, and gives the end of its standard error.
    pub(crate) fn end(mut self) -> String {
        self.kill()
    }

    fn kill(&mut self) -> String {
        self.family.kill();
        let _ = self.child.wait();
        self.channel.close();
        self.channel.said()
    }

    /// How it ended, which closed its pipe.
    fn ended(&mut self) -> String {
        let until = Instant::now() + LAST_WORDS;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => {
                    use std::os::unix::process::ExitStatusExt;
                    return match (status.code(), status.signal()) {
                        (Some(code), _) => format!("exited with code {code}"),
                        (None, Some(signal)) => format!("was ended by signal {signal}"),
                        (None, None) => "ended".to_owned(),
                    };
                }
                Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(5)),
                _ => return "closed its standard output".to_owned(),
            }
        }
    }
}

/// Asks the process to exit, and sees to it that nothing of it is left.
impl Drop for Process {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(None)) {
            return self.family.kill();
        }
        let until = Instant::now() + LAST_WORDS;
        let _ = self.channel.exchange(b"{\"type\":\"shutdown\"}\n", false, until, None, || None);
        self.channel.close();
        while Instant::now() < until && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(2));
        }
        self.family.kill();
        let _ = self.child.wait();
    }
}

/// What every process finds in its environment.
fn environment(directory: &Path) -> Vec<(&'static str, String)> {
    let path = std::env::var("PATH").unwrap_or_else(|_| "/usr/local/bin:/usr/bin:/bin".to_owned());
    let own = directory.display().to_string();
    vec![
        ("PATH", path),
        ("HOME", own.clone()),
        ("TMPDIR", own),
        ("LANG", "C.UTF-8".to_owned()),
        ("PYTHONDONTWRITEBYTECODE", "1".to_owned()),
    ]
}

/// Sets limits between fork and exec, where alone they hold from the first instruction on.
#[expect(
    unsafe_code,
    reason = "the closure runs between fork and exec and makes system calls alone"
)]
fn limit(command: &mut Command, allowance: Allowance) {
    let processes = family::threads_of_user() + allowance.processes;
    let limits = [
        (Resource::Core, 0),
        (Resource::Data, allowance.memory_bytes),
        (Resource::Fsize, FILE),
        (Resource::Nproc, processes),
        (Resource::Cpu, allowance.run_seconds + 60),
    ];
    let apply = move || -> std::io::Result<()> {
        rustix::process::setsid()?;
        for (resource, most) in limits {
            let maximum = getrlimit(resource).maximum;
            let most = Some(maximum.map_or(most, |maximum| most.min(maximum)));
            setrlimit(resource, Rlimit { current: most, maximum: most })?;
        }
        Ok(())
    };
    // SAFETY: the closure allocates nothing, takes no lock and touches no memory of other threads.
    unsafe {
        command.pre_exec(apply);
    }
}
