//! The way in for a program's own HTTP client: an endpoint on loopback, whose requests wait until the
//! thread that evaluates the program answers them.

use std::collections::VecDeque;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use proctor_serve::{
    Completion, Config, ModelRequest, Refusal, RefusalClass, Reply, Server, Token,
};
use rustix::pipe::{PipeFlags, pipe_with};

use crate::prelude::*;
use crate::shape::Returned;
use crate::strategy::Called;

/// One endpoint serves all programs; each process has a token of its own.
static SERVER: LazyLock<Option<Server>> = LazyLock::new(|| Server::start(Config::default()).ok());

/// The token of a process, and what its client asked.
#[derive(Debug)]
pub(crate) struct Door {
    token: Token,
    shared: Arc<Shared>,
    heard: OwnedFd,
}

#[derive(Debug)]
struct Shared {
    waiting: Mutex<Waiting>,
    bell: OwnedFd,
}

#[derive(Debug, Default)]
struct Waiting {
    is_open: bool,
    requests: VecDeque<Pending>,
}

/// A request that waits for its answer.
#[derive(Debug)]
pub(crate) struct Pending {
    request: ModelRequest,
    reply: SyncSender<Reply>,
}

impl Door {
    /// A door for one process; none where the system has no room for it.
    pub(crate) fn new() -> Option<Door> {
        let server = SERVER.as_ref()?;
        let (heard, bell) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK).ok()?;
        let shared = Arc::new(Shared { waiting: Mutex::default(), bell });
        let token = Token::random().ok()?;
        let asked = Arc::clone(&shared);
        server.grant(&token, Arc::new(move |request| asked.ask(request)));
        Some(Door { token, shared, heard })
    }

    /// How a client finds it.
    pub(crate) fn environment(&self) -> Vec<(&'static str, String)> {
        let Some(server) = SERVER.as_ref() else { return Vec::new() };
        let key = self.token.reveal().to_owned();
        vec![
            ("OPENAI_BASE_URL", server.url()),
            ("OPENAI_API_KEY", key.clone()),
            ("ANTHROPIC_BASE_URL", server.anthropic_url()),
            ("ANTHROPIC_API_KEY", key),
            ("NO_PROXY", "127.0.0.1".to_owned()),
        ]
    }

    /// Requests are taken while the program is evaluated, and refused at any other time.
    pub(crate) fn set_open(&self, is_open: bool) {
        let mut waiting = self.shared.waiting();
        waiting.is_open = is_open;
        if !is_open {
            waiting.requests.clear();
        }
    }

    /// Readable once something waits.
    pub(crate) fn bell(&self) -> BorrowedFd<'_> {
        self.heard.as_fd()
    }

    /// What waits.
    pub(crate) fn pending(&self) -> Vec<Pending> {
        let mut drained = [0; 64];
        while rustix::io::read(&self.heard, &mut drained).is_ok_and(|read| read > 0) {}
        self.shared.waiting().requests.drain(..).collect()
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.set_open(false);
        if let Some(server) = SERVER.as_ref() {
            server.revoke(&self.token);
        }
    }
}

impl Shared {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a request and waits for its answer.
    fn ask(&self, request: ModelRequest) -> Reply {
        let (reply, answer) = sync_channel(1);
        {
            let mut waiting = self.waiting();
            if !waiting.is_open {
                let rule = "the program is not being evaluated, so the model is not asked for it";
                return Err(Refusal::new(RefusalClass::Spent, rule));
            }
            waiting.requests.push_back(Pending { request, reply });
        }
        // OK to ignore: a full pipe rings too.
        let _ = rustix::io::write(&self.bell, &[1]);
        let gone = || Refusal::new(RefusalClass::Spent, "the evaluation is over");
        answer.recv().unwrap_or_else(|_| Err(gone()))
    }
}

impl Pending {
    /// The request's system prompt, messages and limit.
    pub(crate) fn asked(&self) -> (Option<String>, Vec<Returned>, Option<u64>) {
        let messages = self.request.messages.iter().map(|message| Returned {
            id: None,
            role: Some(message.role),
            text: message.text.clone(),
            calls: message.calls.clone(),
            answers: message.answers.clone(),
        });
        (self.request.system.clone(), messages.collect(), self.request.max_tokens)
    }

    /// Answers with what the model said. A client that tries again does so at once.
    pub(crate) fn answer(self, called: &Called) {
        let reply = match &called.reply {
            Ok(answer) => {
                let complete = Completion::complete(&self.request, answer.text.clone());
                Ok(Completion { finish: answer.finish, ..complete })
            }
            Err(error) => {
                let refusal = Refusal::new(error.class, error.message.clone());
                Err(Refusal { retry_after: Some(Duration::from_millis(1)), ..refusal })
            }
        };
        // OK to ignore: the client has gone.
        let _ = self.reply.send(reply);
    }

    /// Answers that the calls of this evaluation are used up.
    pub(crate) fn refuse(self, most: usize) {
        let rule = format!("one evaluation may ask the model {most} times");
        let _ = self.reply.send(Err(Refusal::new(RefusalClass::Spent, rule)));
    }
}
