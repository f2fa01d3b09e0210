//! When a call may start: rates, delays between attempts, what a server asks for.

use std::time::Duration;

use chrono::{DateTime, Utc};
use proctor_core::ident::Seed;
use rand::RngExt;
use tokio::time::Instant;

use crate::cassette::RequestKey;
use crate::live::endpoint::Backoff;

/// How far ahead of an even rate calls may run.
const AHEAD: Duration = Duration::from_secs(1);

/// How much of a minute may be lost on the way.
const ON_THE_WAY: Duration = Duration::from_millis(500);

/// The time over which what a minute admits is spread, so that no minute of the server's
/// clock holds more, wherever it begins. In any time t, calls for t + `AHEAD` may leave.
const SPREAD: f64 = 60.0 + AHEAD.as_secs_f64() + ON_THE_WAY.as_secs_f64();

/// At most so many in any minute, evenly (the generic cell rate algorithm).
#[derive(Clone, Copy, Debug)]
pub(super) struct RateLimiter {
    per_minute: f64,
    /// When all that was taken would have been taken at an even rate.
    until: Instant,
}

impl RateLimiter {
    pub(super) fn new(per_minute: u64, now: Instant) -> RateLimiter {
        RateLimiter { per_minute: per_minute as f64, until: now }
    }

    /// When the next may be taken.
    pub(super) fn next(&self) -> Instant {
        self.until.checked_sub(AHEAD).unwrap_or(self.until)
    }

    pub(super) fn take(&mut self, amount: u64, now: Instant) {
        let seconds = amount as f64 * SPREAD / self.per_minute;
        // A prompt beyond every limit waits a day, not for ever.
        let length = Duration::from_secs_f64(seconds.clamp(0.0, 86_400.0));
        self.until = self.until.max(now) + length;
    }
}

/// How long to wait before attempt `tries + 1`: what the server asked for, within the bound, or
/// the call's own draw between nothing and a bound that doubles with every attempt.
pub(super) fn retry_delay(
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
pub(super) fn retry_after(value: &str, now: DateTime<Utc>) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds.clamp(0.0, 1e9)).ok();
    }
    let date = DateTime::parse_from_rfc2822(value).ok()?;
    Some(date.signed_duration_since(now).to_std().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cassette::CanonicalRequest;
    use crate::live::value::Seconds;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now: DateTime<Utc> = "1994-11-06T08:49:00Z".parse().expect("a time");
        for (value, expected) in crate::cases::<(String, Vec<f64>)>("waits") {
            let read = retry_after(&value, now).map(|wait| wait.as_secs_f64());
            assert_eq!(read.as_slice(), expected, "{value}");
        }
    }

    #[test]
    fn waits_are_drawn_under_a_bound_that_doubles() {
        let backoff = Backoff { first: Seconds(1.0), longest: Seconds(5.0) };
        let key = CanonicalRequest::default().key();
        for (tries, most) in [(1, 1.0), (2, 2.0), (3, 4.0), (4, 5.0), (400, 5.0)] {
            let wait = retry_delay(backoff, tries, None, key);
            assert!(wait.as_secs_f64() < most, "{tries}: {wait:?}");
            assert_eq!(wait, retry_delay(backoff, tries, None, key), "drawn anew");
        }
        let asked = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(retry_delay(backoff, 1, asked(3), key), Duration::from_secs(3));
        assert_eq!(retry_delay(backoff, 1, asked(300), key), Duration::from_secs(5));
    }

    /// forall t: calls in [t, t + 60 s) <= the limit, with what may be lost on the way, for a
    /// client that calls as soon as it may and pauses once.
    #[test]
    fn no_minute_holds_more_than_the_limit_wherever_it_begins() {
        for per_minute in [1, 2, 7, 60, 600, 6_000] {
            let start = Instant::now();
            let mut limiter = RateLimiter::new(per_minute, start);
            let (mut now, mut at) = (start, Vec::new());
            for call in 0..3 * per_minute + 2 {
                if call == per_minute {
                    now += Duration::from_secs(7);
                }
                now = now.max(limiter.next());
                at.push(now);
                limiter.take(1, now);
            }
            let minute = Duration::from_secs(60) + ON_THE_WAY / 2;
            for (place, first) in at.iter().enumerate() {
                let held = at[place..].partition_point(|later| *later - *first < minute);
                assert!(held as u64 <= per_minute, "{held} calls at {per_minute} a minute");
            }
            // Nor is more than a twentieth of the rate given away.
            let taken = (now - start).as_secs_f64() - 7.0;
            assert!(taken < 63.0 * (3.0 + 1.0 / per_minute as f64), "{per_minute}: {taken}");
        }
    }
}
