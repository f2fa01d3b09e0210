//! What did an archive give back, and at what price?

macro_rules! recovered {
    ($next:ident $($rest:ident)* => $($done:tt)*) => {
        $next! { $($rest)* => $($done)*
            "Recall from an archive" {
                ArchiveCalls "archive.calls" "calls" Neither 1 Nothing
                    "Calls in whose prompt something recalled was sent. Empty, with all of this \
                     section, where nothing was.";
                ArchiveTokens "archive.tokens" "tokens" Lower 1 Nothing
                    "Tokens that what was recalled added to prompts; tokens.prompt_total holds \
                     them.";
                ArchiveWaste "archive.waste" "tokens" Lower 1 Nothing
                    "Of these, tokens at calls without any demand.";
                ArchiveWasteShare "archive.waste_share" "share" Lower 1 Nothing
                    "The same as a share of archive.tokens.";
                ArchiveMet "archive.met" "demands" Higher 1 Nothing
                    "Ranked demands whose fact the view did not hold and what was recalled did. \
                     recall_at_need and everything else that is said of the view leaves them out. \
                     A passage of a message appended since the previous call does not count.";
                ArchiveRecoverable "archive.recoverable" "share" Higher 1 Nothing
                    "Share present in the view or in what was recalled, over the demands of \
                     recall_at_need.";
            }
        }
    };
}
