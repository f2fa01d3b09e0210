//! temporary
use proctor::ident::Seed;
use proctor::log::Role;
use proctor::scenario::{EMBEDDED, Scenario, Session};
use proctor::synth::fact_load;
use regex::Regex;
use std::collections::BTreeMap;
fn session(name: &str, keys: &[(&str, &str)], seed: u64) -> Session {
    let file = format!("{name}.toml");
    let (_, text) = EMBEDDED.iter().find(|(embedded, _)| *embedded == file).unwrap();
    let mut text = (*text).to_owned();
    for (key, value) in keys {
        let line = format!("{key} = {value}");
        let old = Regex::new(&format!("(?m)^{key} = .*$")).unwrap();
        text = if old.is_match(&text) {
            old.replace(&text, line).into_owned()
        } else {
            text.replacen("[session.synth]", &format!("[session.synth]\n{line}"), 1)
        };
    }
    Scenario::parse_all(&file, &text).unwrap()[0].session(Seed(seed)).unwrap()
}
#[test]
fn measure() {
    let mut out = String::new();
    for (name, keys) in [
        ("multi-goal-arcs", vec![]),
        ("long-coding", vec![]),
        ("long-coding", vec![("facts", "60")]),
        ("long-coding", vec![("facts", "60"), ("demands", "2")]),
        ("long-coding", vec![("facts", "200")]),
        ("multi-goal-arcs", vec![("facts", "60")]),
        ("short-turns", vec![]),
        ("long-turns", vec![]),
        ("standing-constraints", vec![]),
    ] {
        let s = session(name, &keys, 1);
        let mean = |d: &str| d.to_owned();
        let _ = mean;
        let load: Vec<u64> = fact_load(&s.log, &s.truth, 12).iter().map(|t| t.0).collect();
        out += &format!(
            "{name} {keys:?}: goals {} facts {} demands {} per fact {:.2} superseded {} load {load:?} messages {}\n",
            s.truth.goals.len(),
            s.truth.facts.len(),
            s.truth.demands.len(),
            s.truth.demands.len() as f64 / s.truth.facts.len() as f64,
            s.truth.facts.iter().filter(|f| f.superseded_by.is_some()).count(),
            s.log.messages.len()
        );
    }
    for bank in ["\"a\"", "\"b\""] {
        let s = session(
            "multi-goal-arcs",
            &[
                ("bank", bank),
                ("corrections", "0.08"),
                ("rejections", "0.1"),
                ("stops", "0.05"),
                ("near-duplicates", "0.2"),
                ("paraphrased", "0.5"),
            ],
            1,
        );
        let mut table: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        let mut roles: BTreeMap<&str, usize> = BTreeMap::new();
        for f in &s.truth.facts {
            let r = match s.log.messages[f.born.index()].role {
                Role::User => "user",
                Role::Assistant => "agent",
                _ => "tool",
            };
            *table.entry((f.kind.name(), r)).or_default() += 1;
            *roles.entry(r).or_default() += 1;
        }
        out += &format!("bank {bank}: {} facts {roles:?}\n{table:?}\n", s.truth.facts.len());
        let mut text = String::new();
        for m in &s.log.messages {
            if m.role != Role::Tool {
                text += &format!(
                    "{:?}: {} {:?}\n",
                    m.role,
                    m.content,
                    m.calls.iter().map(|c| c.args.to_string()).collect::<Vec<_>>()
                );
            } else {
                text += "Tool\n";
            }
        }
        std::fs::write(format!("/tmp/bank_session_{}.txt", bank.trim_matches('"')), text).unwrap();
        for m in &s.log.messages {
            if m.role == Role::Tool && s.truth.facts.iter().filter(|f| f.born == m.id).count() > 0 {
                out += &format!("PLANTED {:.900}\n", m.content);
                break;
            }
        }
    }
    std::fs::write("/tmp/bank_measure.txt", out).unwrap();
}
