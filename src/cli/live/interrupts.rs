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

    use super::Kept;
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

    async fn listen(live: Option<&Handle>, kept: Option<&Kept>, over: &AtomicBool) {
        for times in 1_u32.. {
            if tokio::signal::ctrl_c().await.is_err() {
                return;
            }
            if over.load(Ordering::Relaxed) {
                // What a shell expects of a process that an interrupt ended.
                process::exit(130);
            }
            let Some(handle) = live.filter(|_| times < 3) else { end(kept) };
            let says = match times {
                1 => "interrupted: calls in flight are waited for; once more ends them too",
                _ => "interrupted: nothing is waited for",
            };
            kept.map_or_else(|| talk(says), |kept| kept.bar.talk(says));
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
