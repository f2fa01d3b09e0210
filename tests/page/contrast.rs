//! Text of the page against every ground that the style lays under text.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

const STYLE: &str = include_str!("../../crates/report/assets/report.css");
const PALETTE: &str = include_str!("../../crates/report/src/chart/palette.rs");

/// The variables of each scheme: light, then light as dark changes it.
fn schemes() -> [BTreeMap<String, String>; 2] {
    let root = Regex::new(r":root \{([^}]*)\}").unwrap();
    let colour = Regex::new(r"--([a-z0-9-]+): (#[0-9a-f]{6});").unwrap();
    let read = |text: &str| {
        let found = colour.captures_iter(text).map(|one| (one[1].to_owned(), one[2].to_owned()));
        found.collect::<BTreeMap<_, _>>()
    };
    let roots: Vec<_> = root.captures_iter(STYLE).map(|one| read(&one[1])).collect();
    let [light, changes] = <[_; 2]>::try_from(roots).unwrap();
    let mut dark = light.clone();
    dark.extend(changes);
    [light, dark]
}

/// The variables that a property is set to.
fn used(property: &str) -> BTreeSet<String> {
    let rule = Regex::new(&format!(r"[\s;{{]{property}: var\(--([a-z0-9-]+)\)")).unwrap();
    rule.captures_iter(STYLE).map(|one| one[1].to_owned()).collect()
}

/// WCAG 2.2, relative luminance.
fn luminance(colour: &str) -> f64 {
    let channel = |place: usize| {
        let part = f64::from(u8::from_str_radix(&colour[place..place + 2], 16).unwrap()) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}

fn contrast(one: &str, other: &str) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn contrast_is_computed_as_the_standard_says() {
    assert!((contrast("#ffffff", "#000000") - 21.0).abs() < 1e-9);
    assert!((contrast("#ffffff", "#767676") - 4.54).abs() < 0.01);
}

#[test]
fn every_text_reads_on_every_ground_in_both_schemes() {
    let (mut texts, grounds) = (used("color"), used("background"));
    // Words inside of the drawn timeline.
    assert!(STYLE.contains(".axis { fill: var(--soft);"));
    texts.insert("soft".to_owned());
    assert!(texts.len() >= 5 && grounds.len() >= 3, "{texts:?} {grounds:?}");
    for scheme in schemes() {
        for text in &texts {
            for ground in &grounds {
                let ratio = contrast(&scheme[text], &scheme[ground]);
                assert!(ratio >= 4.5, "{text} on {ground}: {ratio:.2}");
            }
        }
        // What shows where a field or a button ends (WCAG 1.4.11).
        for ground in &grounds {
            let ratio = contrast(&scheme["edge"], &scheme[ground]);
            assert!(ratio >= 3.0, "edge on {ground}: {ratio:.2}");
        }
    }
}

#[test]
fn no_rule_sets_a_text_or_its_ground_to_a_colour_outside_the_schemes() {
    let set = Regex::new(r"[\s;{](color|background): ([^;}]+)").unwrap();
    let others: Vec<String> = set
        .captures_iter(STYLE)
        .map(|one| one[2].trim().to_owned())
        // What is inherited is a colour of the schemes.
        .filter(|value| !value.starts_with("var(--") && value != "inherit")
        .collect();
    // The card under charts, which are drawn for white paper and hold no other text.
    assert_eq!(others, ["white", "none"]);
}

#[test]
fn the_shares_wear_the_colours_of_the_charts() {
    let known = Regex::new(r"RGBColor\(0x(..), 0x(..), 0x(..)\)").unwrap();
    let known: BTreeSet<String> = known
        .captures_iter(PALETTE)
        .map(|one| format!("#{}{}{}", &one[1], &one[2], &one[3]).to_lowercase())
        .collect();
    for scheme in schemes() {
        let shares: Vec<&String> =
            scheme.iter().filter(|(name, _)| name.starts_with("share-")).map(|one| one.1).collect();
        assert_eq!(shares.iter().collect::<BTreeSet<_>>().len(), 9, "all different");
        for colour in shares {
            assert!(known.contains(colour), "{colour}");
        }
    }
}
