use super::*;
use crate::testkit::{over, rules, scene};

/// Contents that stay when so many tokens are too many; nothing where it declines.
fn left(shape: &str, excess: u64) -> Option<String> {
    let mut scene = scene(shape);
    let applied = scene.act(&Truncate {}, over(excess))?;
    let broken = rules(&applied);
    assert!(broken.iter().all(|rule| !rule.breaks_strict_wire()), "{shape}: {broken:?}");
    Some(scene.contents().join(" "))
}

#[test]
fn the_smallest_legal_cut_is_taken() {
    let one = scene("u").view.counted().0;
    for (shape, excess, expected) in [
        ("yuctuctu", 1, Some("y0 c2 t3 u4 c5 t6 u7")),
        ("yuctuctu", one, Some("y0 c2 t3 u4 c5 t6 u7")),
        // The result may not be parted from its call.
        ("yuctuctu", one + 1, Some("y0 u4 c5 t6 u7")),
        // The current step stays whatever is asked for.
        ("yuctuctu", 900, Some("y0 c5 t6 u7")),
        ("uauau", 900, Some("u4")),
        ("u2tt", 900, Some("21 t2 t3")),
        ("ct", 900, None),
        ("u", 900, None),
        ("yu", 900, None),
        ("uauau", 0, None),
    ] {
        assert_eq!(left(shape, excess).as_deref(), expected, "{shape} {excess}");
    }
}

#[test]
fn without_a_pressure_it_cannot_say_how_far() {
    assert!(scene("uau").plan(&Truncate {}, None).is_none());
}
