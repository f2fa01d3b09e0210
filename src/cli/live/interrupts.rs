//! Interrupts of a live run: calls in flight end, then are not waited for, then the process ends.

#[cfg(not(feature = "live"))]
use crate::summarize::live::Handle;

/// Handles interrupts until it is dropped. Without the feature `live` there is nothing to handle.
#[cfg(not(feature = "live"))]
pub(in crate::cli) struct Interrupts;

#[cfg(not(feature = "live"))]
impl Interrupts {
    pub(in crate::cli) fn watch(_: Handle) -> Interrupts {
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

    use crate::cli::talk;
    use crate::error::ExitCode;
    use crate::summarize::live::Handle;

    /// Handles interrupts until it is dropped.
    pub(in crate::cli) struct Interrupts(Arc<AtomicBool>);

    impl Interrupts {
        pub(in crate::cli) fn watch(handle: Handle) -> Interrupts {
            let over = Arc::new(AtomicBool::new(false));
            let known = Arc::clone(&over);
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            // OK to ignore both errors: without the thread an interrupt ends the process.
            if let Ok(runtime) = runtime {
                let listen = move || runtime.block_on(listen(&handle, &known));
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

    async fn listen(handle: &Handle, over: &AtomicBool) {
        for times in 1_u32.. {
            if tokio::signal::ctrl_c().await.is_err() {
                return;
            }
            if over.load(Ordering::Relaxed) {
                // What a shell expects of a process that an interrupt ended.
                process::exit(130);
            }
            match times {
                1 => talk("interrupted: calls in flight are waited for; once more ends them too"),
                2 => talk("interrupted: nothing is waited for"),
                _ => process::exit(i32::from(ExitCode::STOPPED)),
            }
            handle.interrupt();
        }
    }
}
