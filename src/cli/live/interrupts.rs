//! Interrupts of a run. What has landed is kept whatever happens, so a run that waits for no model
//! ends at once; of a live one the calls in flight end first, then are not waited for.

use crate::cli::run::Bar;
#[cfg(not(feature = "live"))]
use crate::summarize::live::Handle;

/// What an interrupted run says.
pub(in crate::cli) struct Kept {
    /// Knows what has landed.
    pub(in crate::cli) bar: Bar,
    /// The run directory.
    pub(in crate::cli) out: std::path::PathBuf,
    /// The command that goes on.
    pub(in crate::cli) again: String,
}

/// Handles interrupts until it is dropped. Without the feature `live` an interrupt ends the
/// process as any other.
#[cfg(not(feature = "live"))]
pub(in crate::cli) struct Interrupts;

#[cfg(not(feature = "live"))]
impl Interrupts {
    pub(in crate::cli) fn watch(_: Option<Handle>, _: Option<Kept>) -> Interrupts {
        Interrupts
    }
}

#[cfg(feature = "live")]
pub(in crate::cli) use handled::Interrupts;

#[cfg(feature = "live")]
mod handled {
    use std::process;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use tokio::time::timeout;

    use super::Kept;
    use proctor_core::shown;

    use crate::cli::{complain, talk};
    use crate::error::{Error, ExitCode};
    use crate::summarize::live::Handle;

    /// Handles interrupts until it is dropped.
    pub(in crate::cli) struct Interrupts(Arc<AtomicBool>);

    impl Interrupts {
        /// `live` is the model that is asked, `kept` what a run leaves, where there is one.
        pub(in crate::cli) fn watch(live: Option<Handle>, kept: Option<Kept>) -> Interrupts {
            let over = Arc::new(AtomicBool::new(false));
            let known = Arc::clone(&over);
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            // OK to ignore both errors: without the thread an interrupt ends the process.
            if let Ok(runtime) = runtime {
                let listen = move || runtime.block_on(listen(live.as_ref(), kept.as_ref(), &known));
                let _ = std::thread::Builder::new().name("interrupts".to_owned()).spawn(listen);
            }
            Interrupts(over)
        }
    }

    impl Drop for Interrupts {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    /// How long calls in flight are waited for by a process that was told to end: schedulers kill it
    /// after 30 seconds.
    const PATIENCE: Duration = Duration::from_secs(20);

    /// What asks the process to end.
    struct Signals {
        #[cfg(unix)]
        told: [tokio::signal::unix::Signal; 2],
        /// Whether it came from a scheduler or a closed terminal, and not from a key.
        ends: bool,
    }

    impl Signals {
        fn listen() -> std::io::Result<Signals> {
            #[cfg(unix)]
            use tokio::signal::unix::{SignalKind, signal};
            Ok(Signals {
                #[cfg(unix)]
                told: [signal(SignalKind::terminate())?, signal(SignalKind::hangup())?],
                ends: false,
            })
        }

        /// Waits for the next; false where none can come.
        #[cfg(unix)]
        async fn next(&mut self) -> bool {
            let [terminate, hangup] = &mut self.told;
            let (came, ends) = tokio::select! {
                key = tokio::signal::ctrl_c() => (key.is_ok(), false),
                told = terminate.recv() => (told.is_some(), true),
                told = hangup.recv() => (told.is_some(), true),
            };
            self.ends |= ends;
            came
        }

        #[cfg(not(unix))]
        async fn next(&mut self) -> bool {
            tokio::signal::ctrl_c().await.is_ok()
        }
    }

    async fn listen(live: Option<&Handle>, kept: Option<&Kept>, over: &AtomicBool) {
        let Ok(mut signals) = Signals::listen() else { return };
        for times in 1_u32.. {
            // An interrupt waits for calls in flight until it comes again; whoever ends the process
            // soon kills it, so that what is paid for is waited for only so long.
            let bound = if signals.ends { PATIENCE } else { Duration::MAX };
            if timeout(bound, signals.next()).await.is_ok_and(|came| !came) {
                return;
            }
            if over.load(Ordering::Relaxed) {
                // What a shell expects of a process that an interrupt ended.
                process::exit(130);
            }
            let Some(handle) = live.filter(|_| times < 3) else { end(kept) };
            let says = match times {
                1 => shown!("interrupted: calls in flight are waited for; once more ends them too"),
                _ => shown!("interrupted: nothing is waited for"),
            };
            match kept {
                Some(kept) => kept.bar.talk(says),
                None => talk(says),
            }
            handle.interrupt();
        }
    }

    fn end(kept: Option<&Kept>) -> ! {
        kept.iter().for_each(|kept| kept.say());
        process::exit(i32::from(ExitCode::STOPPED));
    }

    impl Kept {
        /// What is kept and how to go on. A cell that is just being written is cut off, as in any
        /// crash, and driven again.
        fn say(&self) {
            let reason = format!(
                "it was interrupted; {} are kept in `{}`",
                self.bar.landed(),
                self.out.display()
            );
            let hint = format!("`{}` goes on from here", self.again);
            self.bar.clear();
            complain(&Error::Stopped { reason, hint });
        }
    }
}
