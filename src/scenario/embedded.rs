//! The scenarios that come with the binary.

/// File name and text. The names of a file's scenarios begin with its stem.
pub const EMBEDDED: &[(&str, &str)] = &[
    ("multi-goal-arcs.toml", include_str!("../../scenarios/multi-goal-arcs.toml")),
    ("long-coding.toml", include_str!("../../scenarios/long-coding.toml")),
    ("short-turns.toml", include_str!("../../scenarios/short-turns.toml")),
    ("long-turns.toml", include_str!("../../scenarios/long-turns.toml")),
    ("standing-constraints.toml", include_str!("../../scenarios/standing-constraints.toml")),
    ("smoke.toml", include_str!("../../scenarios/smoke.toml")),
    ("floor.toml", include_str!("../../scenarios/floor.toml")),
    ("ord-short.toml", include_str!("../../scenarios/ord-short.toml")),
    ("ord-long.toml", include_str!("../../scenarios/ord-long.toml")),
];
