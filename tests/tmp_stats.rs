use proctor::ident::Seed;
use proctor::log::Role;
use proctor::scenario::Scenario;
use proctor::token::{TokenTable, Tokenizer};
use std::io::Write;
#[test]
fn stats() {
    let mut err = std::io::stderr();
    let only = std::env::var("ONLY").ok();
    for name in Scenario::embedded_names() {
        if let Some(o) = &only {
            if !name.starts_with(o.as_str()) {
                continue;
            }
        } else if name.starts_with("floor") && !name.ends_with("t200") {
            continue;
        }
        for seed in [1, 2, 3] {
            let t = std::time::Instant::now();
            let s = Scenario::embedded(&name).unwrap();
            let session = match s.session(Seed(seed)) {
                Ok(x) => x,
                Err(e) => {
                    writeln!(err, "{name}/{seed}: {e}").unwrap();
                    continue;
                }
            };
            let el = t.elapsed();
            let table = TokenTable::new(&session.log, Tokenizer::O200k);
            let mut cum = vec![0u64];
            for m in &table.messages {
                cum.push(cum.last().unwrap() + m.total().0);
            }
            let f = &session.truth.facts;
            let mut b = [0; 5];
            for d in &session.truth.demands {
                let fact = &f[d.fact.index()];
                let last = *fact.mentions.iter().filter(|m| **m < d.at).last().unwrap();
                let dist = (cum[d.at.index()] - cum[last.index() + 1]) as f64 / s.window.as_f64();
                let k = if dist < 0.5 {
                    0
                } else if dist < 1.0 {
                    1
                } else if dist < 2.0 {
                    2
                } else if dist < 4.0 {
                    3
                } else {
                    4
                };
                b[k] += 1;
            }
            let load = proctor::synth::fact_load(&session.log, &session.truth, 12);
            writeln!(err,"{name}/{seed} {:?}: msgs {} tokens {} (user {} asst {} tool {}) sys {} tools {} facts {} demands {} b{:?} load {:?}", el, session.log.messages.len(), table.total(), table.by_role(&session.log,Role::User), table.by_role(&session.log,Role::Assistant), table.by_role(&session.log,Role::Tool), table.system, table.tools, f.len(), session.truth.demands.len(), b, load.iter().map(|t|t.0).collect::<Vec<_>>()).unwrap();
            if seed == 1 {
                let mut out = std::fs::File::create(format!("/tmp/synth_{name}.txt")).unwrap();
                writeln!(out, "SYSTEM {}\nTOOLS {}", session.log.system, session.log.tools)
                    .unwrap();
                for m in &session.log.messages {
                    writeln!(
                        out,
                        "#{} [{}] {:?}{} {}",
                        m.id.0,
                        m.role.name(),
                        m.at.0 / 1000,
                        if m.failed { " FAILED" } else { "" },
                        m.content
                    )
                    .unwrap();
                    for c in &m.calls {
                        writeln!(out, "   -> {} {} {}", c.id, c.name, c.args).unwrap();
                    }
                }
                for fa in f {
                    writeln!(
                        out,
                        "F{} {} born {} mentions {:?} sup {:?} :: {} :: {:?}",
                        fa.id.0,
                        fa.kind.name(),
                        fa.born.0,
                        fa.mentions.iter().map(|m| m.0).collect::<Vec<_>>(),
                        fa.superseded_by,
                        fa.statement,
                        fa.needles
                    )
                    .unwrap();
                }
                for d in &session.truth.demands {
                    writeln!(out, "D {:?}", d).unwrap();
                }
            }
        }
    }
}
