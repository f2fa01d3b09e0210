//! Lines to and from a process, with a limit on time and size. One thread does it all: it waits for
//! whichever of the pipes is ready first.

use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{ChildStderr, ChildStdin, ChildStdout};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;

use crate::prelude::*;
use crate::process::Heard;

/// Bytes of standard error that are kept.
const SAID: usize = 16 * 1024;
/// How long is waited before the process is looked at; then twice as long, up to half a second.
const FIRST_LOOK: Duration = Duration::from_millis(20);
const LAST_LOOK: Duration = Duration::from_millis(500);

/// The three pipes of a process.
#[derive(Debug)]
pub(crate) struct Channel {
    input: Option<ChildStdin>,
    output: ChildStdout,
    errors: Option<ChildStderr>,
    /// What was read and is not yet taken.
    read: Vec<u8>,
    /// How far it is known to hold no end of a line.
    searched: usize,
    said: Vec<u8>,
    most: usize,
}

/// What can be read without waiting, or has ended.
struct Ready {
    output: bool,
    errors: bool,
    bell: bool,
}

/// Why no line came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Silence {
    /// The process closed its standard output.
    Closed,
    /// The time is over.
    TimeOut,
    /// More bytes than a line may have.
    Flood,
    /// Bytes that are no UTF-8.
    NoText,
    /// What the looking found.
    Excess(String),
}

impl Channel {
    pub(crate) fn new(
        input: ChildStdin,
        output: ChildStdout,
        errors: ChildStderr,
        most: usize,
    ) -> std::io::Result<Channel> {
        for fd in [input.as_fd(), output.as_fd(), errors.as_fd()] {
            fcntl_setfl(fd, fcntl_getfl(fd)? | OFlags::NONBLOCK)?;
        }
        let (input, errors) = (Some(input), Some(errors));
        Ok(Channel { input, output, errors, read: Vec::new(), searched: 0, said: Vec::new(), most })
    }

    /// The end of what the process wrote to standard error.
    pub(crate) fn said(&mut self) -> String {
        self.hear();
        String::from_utf8_lossy(&self.said).trim().to_owned()
    }

    /// Closes its standard input.
    pub(crate) fn close(&mut self) {
        self.input = None;
    }

    /// Whether it wrote a line without an end.
    pub(crate) fn is_midway(&self) -> bool {
        !self.read.is_empty()
    }

    /// Whether it wrote something that nobody asked for.
    pub(crate) fn is_ahead(&mut self) -> bool {
        // OK to ignore: whoever is asked next meets the same end.
        let _ = self.fetch();
        !self.read.is_empty()
    }

    /// Writes a line, and reads one if one is wanted. `look` is called from time to time, and ends
    /// the waiting with what it finds.
    pub(crate) fn exchange(
        &mut self,
        line: &[u8],
        wants_answer: bool,
        until: Instant,
        bell: Option<BorrowedFd>,
        mut look: impl FnMut() -> Option<String>,
    ) -> Result<Heard, Silence> {
        let (mut left, mut pause) = (line, FIRST_LOOK);
        let mut next_look = Instant::now() + pause;
        loop {
            left = &left[self.write(left)..];
            if left.is_empty() && !wants_answer {
                return Ok(Heard::Line(String::new()));
            }
            if let Some(line) = self.line()? {
                return Ok(Heard::Line(line));
            }
            let now = Instant::now();
            if now >= until {
                return Err(Silence::TimeOut);
            }
            if now >= next_look {
                if let Some(found) = look() {
                    return Err(Silence::Excess(found));
                }
                pause = LAST_LOOK.min(2 * pause);
                next_look = now + pause;
            }
            let ready = self.wait(!left.is_empty(), bell, until.min(next_look) - now);
            if ready.bell {
                return Ok(Heard::Bell);
            }
            if ready.errors {
                self.hear();
            }
            if ready.output {
                self.fetch()?;
            }
        }
    }

    /// Waits until a pipe is ready.
    fn wait(&self, writes: bool, bell: Option<BorrowedFd>, time: Duration) -> Ready {
        // What a client asks is heard once the question itself is written.
        let bell = bell.filter(|_| !writes);
        let input = self.input.as_ref().filter(|_| writes);
        let mut fds = vec![PollFd::new(&self.output, PollFlags::IN)];
        fds.extend(self.errors.as_ref().map(|errors| PollFd::new(errors, PollFlags::IN)));
        fds.extend(bell.as_ref().map(|bell| PollFd::new(bell, PollFlags::IN)));
        fds.extend(input.map(|input| PollFd::new(input, PollFlags::OUT)));
        // An interrupted wait is a short one.
        let _ = poll(&mut fds, Timespec::try_from(time).ok().as_ref());
        let mut ready = fds.iter().map(|fd| !fd.revents().is_empty());
        Ready {
            output: ready.next().unwrap_or(false),
            errors: self.errors.is_some() && ready.next().unwrap_or(false),
            bell: bell.is_some() && ready.next().unwrap_or(false),
        }
    }

    /// How much could be written. A process that closed its input may still answer.
    fn write(&mut self, bytes: &[u8]) -> usize {
        let Some(input) = self.input.as_mut().filter(|_| !bytes.is_empty()) else {
            return bytes.len();
        };
        match input.write(bytes) {
            Ok(written) => written,
            Err(error) if is_early(&error) => 0,
            Err(_) => {
                self.input = None;
                bytes.len()
            }
        }
    }

    /// A whole line, if there is one.
    fn line(&mut self) -> Result<Option<String>, Silence> {
        let end = memchr::memchr(b'\n', &self.read[self.searched..]);
        let Some(end) = end.map(|end| self.searched + end) else {
            self.searched = self.read.len();
            return if self.read.len() > self.most { Err(Silence::Flood) } else { Ok(None) };
        };
        let rest = self.read.split_off(end + 1);
        let mut line = std::mem::replace(&mut self.read, rest);
        self.searched = 0;
        line.pop();
        String::from_utf8(line).map(Some).map_err(|_| Silence::NoText)
    }

    fn fetch(&mut self) -> Result<(), Silence> {
        let before = self.read.len();
        match take(&mut self.output, &mut self.read) {
            Ok(true) if self.read.len() == before => Err(Silence::Closed),
            // What came last may be a line.
            _ => Ok(()),
        }
    }

    fn hear(&mut self) {
        let Some(errors) = &mut self.errors else { return };
        let ended = take(errors, &mut self.said).unwrap_or(true);
        if self.said.len() > SAID {
            self.said.drain(..self.said.len() - SAID);
        }
        if ended {
            self.errors = None;
        }
    }
}

fn is_early(error: &std::io::Error) -> bool {
    let code = error.raw_os_error();
    [Errno::AGAIN, Errno::INTR].iter().any(|early| code == Some(early.raw_os_error()))
}

/// Reads at most half a mebibyte of what is there; whether it was the end.
fn take(pipe: &mut impl Read, into: &mut Vec<u8>) -> std::io::Result<bool> {
    let mut chunk = [0; 8 * 1024];
    for _ in 0..64 {
        match pipe.read(&mut chunk) {
            Ok(0) => return Ok(true),
            Ok(read) => {
                into.extend_from_slice(&chunk[..read]);
                if read < chunk.len() {
                    return Ok(false);
                }
            }
            Err(error) if is_early(&error) => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}
