//! When a call may begin: rates, waits between attempts, what a server asks for.

use std::time::Duration;

use jiff::Timestamp;
use rand::RngExt;
use tokio::time::Instant;

use crate::ident::Seed;
use crate::summarize::cassette::RequestKey;
use crate::summarize::live::endpoint::Backoff;

/// How far ahead of an even rate calls may run.
const AHEAD: Duration = Duration::from_secs(1);

/// So many a minute, evenly (the generic cell rate algorithm).
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    per_minute: f64,
    /// When all that was taken would have been taken at an even rate.
    until: Instant,
}

impl Pace {
    pub(super) fn new(per_minute: u64, now: Instant) -> Pace {
        Pace { per_minute: per_minute as f64, until: now }
    }

    /// When the next may be taken.
    pub(super) fn next(&self) -> Instant {
        self.until.checked_sub(AHEAD).unwrap_or(self.until)
    }

    pub(super) fn take(&mut self, amount: u64, now: Instant) {
        let seconds = amount as f64 * 60.0 / self.per_minute;
        // A prompt beyond every limit waits a day, not for ever.
        let length = Duration::from_secs_f64(seconds.clamp(0.0, 86_400.0));
        self.until = self.until.max(now) + length;
    }
}

/// How long to wait before attempt `tries + 1`: what the server asked for, within the
/// bound, or a draw between nothing and a bound that doubles with every attempt. The draw
/// is the call's own, so that calls that failed together do not come back together.
pub(super) fn before_next(
    backoff: Backoff,
    tries: u32,
    asked: Option<Duration>,
    key: RequestKey,
) -> Duration {
    let longest = backoff.longest.duration();
    if let Some(asked) = asked {
        return asked.min(longest);
    }
    let doubled = backoff.first.0 * 2_f64.powi(tries.saturating_sub(1).min(30) as i32);
    let bound = doubled.min(backoff.longest.0);
    let seed = Seed(0).derive(&["wait", &key.to_string(), &tries.to_string()]);
    Duration::from_secs_f64(bound * seed.rng().random_range(0.0..1.0))
}

/// `Retry-After`: seconds, or a date.
pub(super) fn retry_after(value: &str, now: Timestamp) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds.clamp(0.0, 1e9)).ok();
    }
    let date = jiff::fmt::rfc2822::parse(value).ok()?.timestamp();
    let left = date.duration_since(now);
    Some(Duration::try_from(left).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summarize::cassette::CanonicalRequest;
    use crate::summarize::live::value::Seconds;

    fn key() -> RequestKey {
        let (model, messages) = ("m".to_owned(), Vec::new());
        let (max_tokens, temperature, seed, replicate) = (1, 0.0, 1, 0);
        CanonicalRequest { model, messages, max_tokens, temperature, seed, replicate }.key()
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now: Timestamp = "1994-11-06T08:49:00Z".parse().expect("a time");
        for (value, expected) in [
            ("7", Some(7.0)),
            (" 1.5 ", Some(1.5)),
            ("-3", Some(0.0)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(37.0)),
            ("Sun, 06 Nov 1994 08:48:37 GMT", Some(0.0)),
            ("soon", None),
            ("NaN", None),
            ("", None),
        ] {
            let read = retry_after(value, now).map(|wait| wait.as_secs_f64());
            assert_eq!(read, expected, "{value}");
        }
    }

    #[test]
    fn waits_are_drawn_under_a_bound_that_doubles() {
        let backoff = Backoff { first: Seconds(1.0), longest: Seconds(5.0) };
        for (tries, most) in [(1, 1.0), (2, 2.0), (3, 4.0), (4, 5.0), (400, 5.0)] {
            let wait = before_next(backoff, tries, None, key());
            assert!(wait.as_secs_f64() < most, "{tries}: {wait:?}");
            assert_eq!(wait, before_next(backoff, tries, None, key()), "drawn anew");
        }
        let asked = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(before_next(backoff, 1, asked(3), key()), Duration::from_secs(3));
        assert_eq!(before_next(backoff, 1, asked(300), key()), Duration::from_secs(5));
    }

    #[test]
    fn a_pace_is_even_after_its_first_second() {
        let start = Instant::now();
        let mut pace = Pace::new(120, start);
        let mut at = Vec::new();
        for _ in 0..5 {
            let when = pace.next().max(start);
            at.push((when - start).as_millis());
            pace.take(1, when);
        }
        assert_eq!(at, [0, 0, 0, 500, 1000]);
    }
}
