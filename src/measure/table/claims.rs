//! What the source designs promise, as figures over the sessions that a promise is about.

macro_rules! claims {
    ($next:ident $($rest:ident)* => $($done:tt)*) => {
        $next! { $($rest)* => $($done)*
            "Claims of the source designs" {
                ClaimSavedFrom50k "claim.saved.from_50k" "share" Higher 1 Control
                    "Mean savings.gross over completed sessions whose whole conversation, the \
                     control's largest prompt, has 50,000 to under 100,000 tokens.";
                ClaimSavedFrom100k "claim.saved.from_100k" "share" Higher 1 Control
                    "The same from 100,000 tokens on.";
                ClaimSavedNetFrom50k "claim.saved_net.from_50k" "share" Higher 1 Control
                    "Mean savings.net over the sessions of claim.saved.from_50k.";
                ClaimSavedNetFrom100k "claim.saved_net.from_100k" "share" Higher 1 Control
                    "Mean savings.net over the sessions of claim.saved.from_100k.";
                ClaimFreed "claim.freed" "share" Higher 1 Sessions
                    "1 less compactions.after_over_before, mean over sessions.";
                ClaimCompletedFrom50Turns "claim.completed.from_50_turns" "share" Higher 1 Sessions
                    "Share of sessions of at least 50 turns that completed; interval after \
                     Wilson, as for all shares of sessions below.";
                ClaimCompletedFrom100Turns "claim.completed.from_100_turns" "share" Higher 1 Sessions
                    "The same of at least 100 turns.";
                ClaimWithin5s "claim.within_5s" "share" Higher 1 Sessions
                    "Share of a session's firings with billed requests whose modelled time is at \
                     most 5 s, mean over sessions.";
                ClaimRateFor5s "claim.rate_for_5s" "tokens per second" Lower 1 Sessions
                    "The largest latency.rate_for_5s of any session. Sessions that no rate makes \
                     fast enough are not among its n.";
                ClaimCounter "claim.counter" "share" Lower 1 Sessions
                    "Size of counter.error, whatever its sign, mean over sessions.";
                ClaimCounterBilling "claim.counter_billing" "share" Lower 1 Sessions
                    "Size of what counter.error and counter.reference_error come to together: the \
                     strategy's count beside recorded usage. Of recorded sessions alone.";
                ClaimBreach "claim.breach" "share" Higher 1 Reference
                    "Mean floor.breach over sessions.";
                ClaimArcsWhole "claim.arcs_whole" "share" Higher 1 Sessions
                    "Mean arc.integrity over sessions.";
                ClaimDirection "claim.direction" "share" Higher 1 Sessions
                    "Mean direction.retained over sessions.";
                ClaimDeadEnd "claim.dead_end" "share" Higher 1 Sessions
                    "Mean dead_end.retained over sessions.";
                ClaimConstraint "claim.constraint" "share" Higher 1 Sessions
                    "Mean constraint.retained over sessions.";
                ClaimSoundPairs "claim.sound.pairs" "share" Higher 1 Sessions
                    "Share of sessions in which no compaction left an orphaned result or call or \
                     parted a pair.";
                ClaimSoundTurns "claim.sound.turns" "share" Higher 1 Sessions
                    "In which none took a closed turn apart.";
                ClaimSoundSystem "claim.sound.system" "share" Higher 1 Sessions
                    "In which none changed a system message.";
                ClaimSoundLiveGoal "claim.sound.live_goal" "share" Higher 1 Sessions
                    "In which every step was sent with the latest user request word for word.";
                ClaimSoundRaised "claim.sound.raised" "share" Higher 1 Sessions
                    "That no error of a compaction ended.";
                ClaimSoundEarly "claim.sound.early" "share" Higher 1 Sessions
                    "In which no firing came at 0.95 of the usable window or above, of those with \
                     firings.";
                ClaimSoundDrift "claim.sound.drift" "share" Higher 1 Sessions
                    "In which no content went through more than one summarizer, of those with \
                     compactions.";
            }
        }
    };
}
