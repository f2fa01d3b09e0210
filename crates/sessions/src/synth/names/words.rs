//! The words that names are made of.

/// Subject words of a project.
#[rustfmt::skip]
pub(in crate::synth) const NOUNS: &[&str] = &[
    "account", "accrual", "agenda", "airline", "album", "alert", "annex", "appraisal",
    "archive", "asset", "auction", "audit", "badge", "balance", "banner", "barcode", "batch",
    "beacon", "billing", "bond", "booking", "budget", "bulletin", "bundle", "calendar",
    "campaign", "cargo", "carrier", "cart", "catalog", "census", "charge", "cheque", "citation",
    "claim", "clinic", "cohort", "commission", "contact", "contract", "coupon", "courier",
    "credit", "crew", "customer", "delivery", "deposit", "depot", "device", "digest", "dispute",
    "dividend", "document", "donor", "duty", "enquiry", "escrow", "expense", "export", "fare",
    "feed", "fixture", "fleet", "forecast", "freight", "gadget", "garage", "grant", "guide",
    "hotel", "image", "import", "insurer", "invoice", "itinerary", "journal", "kiosk", "label",
    "lecture", "ledger", "letter", "license", "locale", "lottery", "loyalty", "mailbox",
    "manifest", "member", "merchant", "meter", "metric", "mortgage", "museum", "newsletter",
    "notice", "order", "outage", "pallet", "parcel", "partner", "passport", "patient",
    "payment", "payout", "pension", "permit", "playlist", "pledge", "policy", "postcard",
    "premium", "price", "profile", "promo", "purchase", "quota", "rebate", "receipt", "recipe",
    "referral", "refund", "region", "rental", "replica", "report", "reseller", "roster",
    "route", "royalty", "salary", "seat", "seller", "sensor", "session", "shipment", "signup",
    "snapshot", "stadium", "storefront", "studio", "subsidy", "supplier", "survey", "tariff",
    "telegram", "tenant", "ticket", "timesheet", "token", "toll", "trader", "transfer", "trip",
    "tutor", "usage", "vehicle", "vendor", "venue", "vessel", "visa", "visit", "voucher",
    "wager", "wallet", "warehouse", "webhook",
];

/// Words for what is done.
#[rustfmt::skip]
pub(in crate::synth) const VERBS: &[&str] = &[
    "absorb", "acquire", "adjust", "align", "allot", "annotate", "append", "apply", "approve",
    "assign", "attach", "bind", "blend", "boost", "broadcast", "calibrate", "cancel", "carve",
    "chain", "claim", "clamp", "close", "coerce", "collect", "commit", "compact", "condense",
    "convert", "decode", "defer", "deliver", "demote", "derive", "detach", "discard",
    "dispatch", "divide", "drain", "elect", "emit", "encode", "enrich", "enroll", "escalate",
    "estimate", "evict", "expand", "expire", "extract", "fetch", "flush", "fold", "forward",
    "freeze", "gather", "grade", "graft", "guard", "hash", "hoist", "hydrate", "infer",
    "inject", "inspect", "invoke", "isolate", "issue", "join", "link", "load", "lock", "mask",
    "measure", "merge", "migrate", "mirror", "mount", "normalize", "notify", "nudge", "offload",
    "pack", "parse", "partition", "patch", "persist", "pivot", "poll", "prefetch", "probe",
    "promote", "prune", "publish", "pump", "purge", "quantize", "queue", "rank", "rebuild",
    "reclaim", "reconcile", "recover", "redact", "reduce", "refresh", "register", "relay",
    "release", "remap", "render", "repair", "replay", "replicate", "reserve", "reshape",
    "resolve", "restore", "retry", "reuse", "rewind", "rotate", "route", "sample", "scan",
    "schedule", "score", "scrub", "seal", "settle", "shard", "shift", "shrink", "slice", "sort",
    "spill", "splice", "split", "squash", "stage", "stamp", "steer", "stitch", "store",
    "stream", "submit", "suspend", "swap", "sweep", "sync", "tag", "tally", "throttle",
    "toggle", "track", "transcode", "translate", "transpose", "traverse", "triage", "trim",
    "tune", "unfold", "unlock", "unpack", "unwrap", "upgrade", "validate", "verify", "warm",
    "weigh", "wrap", "write", "zip",
];

/// Words for parts of a program.
#[rustfmt::skip]
pub(in crate::synth) const THINGS: &[&str] = &[
    "anchor", "arena", "array", "batch", "bitmap", "block", "bucket", "buffer", "cache", "cell",
    "channel", "checkpoint", "chunk", "cluster", "codec", "column", "cookie", "counter", "cube",
    "cursor", "deck", "descriptor", "drawer", "entry", "envelope", "event", "facade", "fence",
    "field", "filter", "flag", "folder", "fragment", "frame", "gate", "graph", "grid", "group",
    "handle", "header", "hook", "inbox", "index", "interval", "kernel", "key", "latch", "layer",
    "lease", "limit", "list", "lock", "map", "marker", "matrix", "mutex", "node", "offset",
    "outbox", "packet", "page", "panel", "payload", "pipe", "pointer", "pool", "prefix",
    "queue", "range", "record", "registry", "ring", "router", "row", "scanner", "schema",
    "segment", "shelf", "sink", "slot", "socket", "spool", "stack", "stub", "suffix", "switch",
    "table", "tile", "timer", "tracker", "tree", "tuple", "valve", "vector", "view",
    "watermark", "window", "wrapper", "zone",
];

/// Words that single one thing out of several.
#[rustfmt::skip]
pub(in crate::synth) const QUALIFIERS: &[&str] = &[
    "active", "aged", "amber", "ancient", "annual", "assigned", "atomic", "backup", "balanced",
    "binary", "blocked", "bounded", "brief", "buffered", "bulk", "cached", "canonical",
    "central", "chained", "classic", "coarse", "cold", "combined", "custom", "daily", "dark",
    "default", "deferred", "delayed", "dense", "direct", "distant", "dormant", "double",
    "dynamic", "eager", "early", "edge", "elastic", "empty", "encoded", "encrypted", "eventual",
    "exact", "expired", "external", "fallback", "fast", "federated", "final", "flat", "foreign",
    "forked", "fresh", "frozen", "global", "golden", "grouped", "guest", "hashed", "heavy",
    "held", "hidden", "hot", "hybrid", "idle", "immutable", "inbound", "indexed",
    "indirect", "initial", "inner", "isolated", "joined", "keyed", "late", "layered", "lazy",
    "leading", "legacy", "light", "linked", "local", "loose", "manual", "mapped", "masked",
    "minor", "mixed", "monthly", "mutable", "native", "nested", "neutral", "nightly",
    "numbered", "odd", "offline", "online", "open", "ordered", "orphaned", "outbound", "outer",
    "packed", "parallel", "partial", "passive", "persistent", "pinned", "plain", "pooled",
    "portable", "preloaded", "primary", "private", "proxied", "quarterly", "queued", "quiet",
    "random", "ranked", "rapid", "rare", "raw", "recent", "recurring", "redundant", "regional",
    "relative", "remote", "reserved", "retired", "rolling", "rotated", "routed", "scoped",
    "scratch", "sealed", "seasonal", "secondary", "serial", "shadow", "sharded", "shared",
    "short", "signed", "silent", "simple", "single", "sorted", "spare", "sparse", "staged",
    "stale", "static", "streamed", "strict", "striped", "swapped", "synthetic", "tagged",
    "tall", "temporary", "tentative", "threaded", "tiered", "timed", "transient", "trial",
    "trusted", "typed", "verified", "versioned", "virtual", "weekly", "wide",
];

/// What a component is.
#[rustfmt::skip]
pub(in crate::synth) const ROLES: &[&str] = &[
    "agent", "broker", "client", "collector", "console", "daemon", "dispatcher", "exporter",
    "gateway", "importer", "indexer", "notifier", "planner", "portal", "proxy", "scheduler",
    "server", "service", "worker", "writer",
];

/// What can be said to be done in a component.
#[rustfmt::skip]
pub(in crate::synth) const ASPECTS: &[&str] = &[
    "backoff", "bookkeeping", "cleanup", "conversion", "deduplication", "handshake",
    "hand-over", "layout", "lookup", "numbering", "ordering", "paging", "permission check",
    "rate limiting", "rounding", "sampling", "shutdown", "start-up", "time zone handling",
    "tracing", "validation", "versioning", "warm-up", "wiring",
];

/// Names of projects.
#[rustfmt::skip]
pub(in crate::synth) const PROJECTS: &[&str] = &[
    "alder", "basalt", "cobalt", "drift", "ember", "fjord", "garnet", "harbor", "indigo",
    "juniper", "kestrel", "lumen", "marlin", "nimbus", "orchard", "pewter", "quarry", "rowan",
    "sable", "tundra", "umber", "vesper", "willow", "yarrow",
];

/// Whether names are made of this word.
#[cfg(test)]
pub(in crate::synth) fn is_word(word: &str) -> bool {
    [NOUNS, VERBS, THINGS, QUALIFIERS, ROLES, ASPECTS].concat().contains(&word)
}
