//! How a run gets on, on stderr: a bar on a terminal, a line a session elsewhere.

use std::fmt;
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::cli::live;
use crate::cli::talk;
use crate::run::Progress;
use crate::sanitize::{self, Shown};
use crate::summarize::live::Live;
use proctor_core::shown;

/// The bar of a run; its copies are the same bar.
#[derive(Clone)]
pub(in crate::cli) struct Bar(ProgressBar);

impl Bar {
    pub(in crate::cli) fn new(live: Option<&Live>) -> Bar {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(8));
        let template = "{bar:28} {pos}/{len} cells  {elapsed}{left}  {calls}{msg}";
        // OK because the template is fixed and valid; the default is no harm.
        let style = ProgressStyle::with_template(template);
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let calls = live.map(|live| (live.ask_handle(), live.endpoint().price.is_some()));
        let calls = move |_: &ProgressState, out: &mut dyn fmt::Write| {
            if let Some((handle, priced)) = &calls {
                // OK to ignore: a line that is not drawn is drawn again.
                let _ = write!(out, "{}  ", live::progress_line(&handle.totals(), *priced));
            }
        };
        let left = |state: &ProgressState, out: &mut dyn fmt::Write| {
            if state.pos() > 0 && !state.eta().is_zero() {
                // OK to ignore, as above.
                let _ = write!(out, ", about {:#} left", HumanDuration(state.eta()));
            }
        };
        bar.set_style(style.with_key("calls", calls).with_key("left", left));
        bar.enable_steady_tick(Duration::from_millis(200));
        Bar(bar)
    }

    /// Takes it away.
    pub(in crate::cli) fn clear(&self) {
        self.0.finish_and_clear();
    }

    /// Says something above it.
    pub(in crate::cli) fn talk(&self, text: Shown) {
        self.0.suspend(|| talk(text));
    }

    /// Cells that have landed, of how many.
    pub(in crate::cli) fn landed(&self) -> String {
        format!("{} of {} cells", self.0.position(), self.0.length().unwrap_or(0))
    }
}

impl Progress for Bar {
    fn begin(&self, cells: usize, done: usize) {
        self.0.set_length(cells as u64);
        if done > 0 {
            self.talk(shown!("{} cells are there from an earlier run", done));
        }
    }

    fn session(&self, name: &str) {
        self.0.set_message(sanitize::terminal(name));
        if self.0.is_hidden() {
            talk(shown!("{} ... ({} done)", name, self.landed()));
        }
    }

    fn cell(&self, _: &str) {
        self.0.inc(1);
    }

    fn warn(&self, text: &str) {
        self.talk(Shown::laid_out(&format!("warning: {text}")));
    }
}
