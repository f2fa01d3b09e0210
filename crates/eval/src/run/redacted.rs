//! A plan that does not say what its transcripts are called.

use crate::run::Plan;
use crate::run_dir::redact;
use crate::scenario::SessionSource;

impl Plan {
    /// The same plan with digests for the names of transcripts and of the scenarios, families
    /// and runs that are called after them. `command` says what was asked in such words.
    #[must_use]
    pub fn redacted(mut self, command: String) -> Plan {
        let mut hidden: Vec<String> = Vec::new();
        for scenario in &mut self.scenarios {
            if !matches!(scenario.source, SessionSource::Transcript(_)) {
                continue;
            }
            hidden.push(scenario.name.clone());
            scenario.name = redact::name(&scenario.name);
            scenario.family = scenario.family.as_deref().map(redact::name);
        }
        let suite = &mut self.suite;
        for name in suite.scenarios.iter_mut().chain([&mut suite.name]) {
            if hidden.contains(name) {
                *name = redact::name(name);
            }
        }
        self.command = command;
        self
    }
}
