//! The words that names are made of.

/// Subject words of a project.
#[rustfmt::skip]
pub(in crate::synth) const NOUNS: &[&str] = &[
    "account", "alert", "archive", "asset", "audit", "batch", "billing", "booking", "bundle",
    "campaign", "carrier", "catalog", "claim", "contact", "contract", "coupon", "customer",
    "delivery", "device", "digest", "document", "export", "feed", "fixture", "grant", "image",
    "import", "invoice", "journal", "label", "ledger", "license", "locale", "mailbox",
    "member", "merchant", "metric", "notice", "order", "parcel", "partner", "payment",
    "payout", "policy", "price", "profile", "quota", "receipt", "refund", "region", "replica",
    "report", "roster", "route", "sensor", "session", "shipment", "snapshot", "tariff",
    "tenant", "ticket", "token", "transfer", "usage", "vendor", "voucher", "wallet",
    "warehouse", "webhook",
];

/// Words for what is done.
#[rustfmt::skip]
pub(in crate::synth) const VERBS: &[&str] = &[
    "acquire", "align", "apply", "attach", "bind", "cancel", "claim", "clamp", "close",
    "collect", "commit", "compact", "decode", "defer", "derive", "drain", "emit", "encode",
    "evict", "expand", "expire", "fetch", "flush", "fold", "forward", "hydrate", "issue",
    "join", "load", "lock", "merge", "migrate", "parse", "patch", "persist", "poll", "prune",
    "publish", "queue", "rebuild", "reconcile", "redact", "refresh", "release", "render",
    "replay", "resolve", "restore", "retry", "rotate", "route", "sample", "schedule", "seal",
    "settle", "shard", "split", "stage", "store", "stream", "sweep", "sync", "track", "trim",
    "unpack", "validate", "verify", "warm", "write",
];

/// Words for parts of a program.
#[rustfmt::skip]
pub(in crate::synth) const THINGS: &[&str] = &[
    "batch", "bucket", "buffer", "cache", "channel", "checkpoint", "chunk", "codec", "column",
    "cursor", "entry", "envelope", "event", "field", "filter", "frame", "gate", "group",
    "handle", "header", "index", "key", "lease", "limit", "list", "lock", "map", "marker",
    "offset", "page", "pool", "queue", "range", "record", "registry", "row", "schema",
    "segment", "slot", "table", "timer", "tree", "view", "watermark",
];

/// Words that single one thing out of several.
#[rustfmt::skip]
pub(in crate::synth) const QUALIFIERS: &[&str] = &[
    "aged", "blocked", "bulk", "cold", "daily", "deferred", "delayed", "dormant", "early",
    "edge", "failed", "fallback", "final", "frozen", "guest", "held", "hidden", "hot", "idle",
    "inbound", "initial", "inner", "late", "legacy", "linked", "local", "manual", "nested",
    "nightly", "open", "outbound", "outer", "partial", "pinned", "primary", "private",
    "queued", "raw", "regional", "remote", "sealed", "secondary", "shadow", "shared",
    "signed", "silent", "sparse", "spare", "stale", "static", "trial", "verified", "virtual",
    "weekly",
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
