//! The project that a session is about.

use super::dialect::{Conventions, Dialect, DomainForm};
use super::draw::{pick, pick_line};
use super::fill::Cast;
use super::words::{NOUNS, PROJECTS, ROLES};
use crate::prelude::*;

#[derive(Clone, Debug)]
pub(super) struct World {
    pub domain: &'static DomainForm,
    pub dialect: &'static Dialect,
    pub conventions: &'static Conventions,
    pub project: &'static str,
    pub components: Vec<Component>,
}

#[derive(Clone, Debug)]
pub(super) struct Component {
    pub name: String,
    pub dir: String,
    pub module: String,
}

impl World {
    pub fn draw(domain: &'static DomainForm, rng: &mut ChaCha8Rng) -> World {
        let (dialect, conventions) = pick(rng, &Dialect::of_projects(domain.domain));
        let mut seen = FxHashSet::default();
        let mut components = Vec::new();
        while components.len() < 9 {
            let (noun, role) = (pick(rng, &NOUNS), drawn_role(domain, rng));
            if seen.insert(noun) {
                components.push(Component::named(noun, role, conventions));
            }
        }
        World { domain, dialect, conventions, project: pick(rng, &PROJECTS), components }
    }

    /// A part of the project that no goal is about.
    pub fn stranger(&self, rng: &mut ChaCha8Rng) -> Component {
        let known = |noun: &str| self.components.iter().any(|one| one.name.starts_with(noun));
        // OK because the project takes nine of many nouns.
        loop {
            let (noun, role) = (pick(rng, &NOUNS), drawn_role(self.domain, rng));
            if !known(noun) {
                return Component::named(noun, role, self.conventions);
            }
        }
    }

    /// The dialect of a file by its ending; the project's own where it has none.
    pub fn dialect_of(&self, file: &str) -> &'static Dialect {
        Dialect::of_file(file).unwrap_or(self.dialect)
    }

    pub fn ending(&self) -> &'static str {
        &self.dialect.ending
    }
}

fn drawn_role(domain: &'static DomainForm, rng: &mut ChaCha8Rng) -> &'static str {
    if domain.roles.is_empty() { pick(rng, &ROLES) } else { pick_line(rng, &domain.roles) }
}

impl Component {
    fn named(noun: &str, role: &str, conventions: &Conventions) -> Component {
        Component {
            name: format!("{noun} {role}"),
            dir: Cast::from([("noun", noun), ("role", role)]).fill(&conventions.dir),
            module: format!("{noun}_{role}"),
        }
    }

    pub fn cast(&self) -> Cast {
        Cast::from([("component", &*self.name), ("dir", &self.dir), ("module", &self.module)])
    }
}
