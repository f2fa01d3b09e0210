//! The scenarios that come with the binary.

/// File name and text. The names of a file's scenarios begin with its stem.
#[rustfmt::skip]
pub const EMBEDDED: &[(&str, &str)] = &[
    ("multi-goal-arcs.toml", include_str!("../../../../scenarios/multi-goal-arcs.toml")),
    ("long-coding.toml", include_str!("../../../../scenarios/long-coding.toml")),
    ("mixed.toml", include_str!("../../../../scenarios/mixed.toml")),
    ("short-turns.toml", include_str!("../../../../scenarios/short-turns.toml")),
    ("long-turns.toml", include_str!("../../../../scenarios/long-turns.toml")),
    ("thousand-turns.toml", include_str!("../../../../scenarios/thousand-turns.toml")),
    ("large-files.toml", include_str!("../../../../scenarios/large-files.toml")),
    ("repeated-calls.toml", include_str!("../../../../scenarios/repeated-calls.toml")),
    ("strategy-composition.toml", include_str!("../../../../scenarios/strategy-composition.toml")),
    ("threshold-edge.toml", include_str!("../../../../scenarios/threshold-edge.toml")),
    ("far-recall.toml", include_str!("../../../../scenarios/far-recall.toml")),
    ("responsiveness.toml", include_str!("../../../../scenarios/responsiveness.toml")),
    ("overflow-without-warning.toml", include_str!("../../../../scenarios/overflow-without-warning.toml")),
    ("oversized-message.toml", include_str!("../../../../scenarios/oversized-message.toml")),
    ("output-limit.toml", include_str!("../../../../scenarios/output-limit.toml")),
    ("dead-end-returns.toml", include_str!("../../../../scenarios/dead-end-returns.toml")),
    ("stale-values.toml", include_str!("../../../../scenarios/stale-values.toml")),
    ("standing-constraints.toml", include_str!("../../../../scenarios/standing-constraints.toml")),
    ("dense.toml", include_str!("../../../../scenarios/dense.toml")),
    ("smoke.toml", include_str!("../../../../scenarios/smoke.toml")),
    ("pocket.toml", include_str!("../../../../scenarios/pocket.toml")),
    ("faults.toml", include_str!("../../../../scenarios/faults.toml")),
    ("floor.toml", include_str!("../../../../scenarios/floor.toml")),
    ("turn-shape.toml", include_str!("../../../../scenarios/turn-shape.toml")),
    ("ord-short.toml", include_str!("../../../../scenarios/ord-short.toml")),
    ("ord-long.toml", include_str!("../../../../scenarios/ord-long.toml")),
];
