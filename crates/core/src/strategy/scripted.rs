//! A strategy that is any function, for tests of the driver.

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::log::Role;
use crate::plan::Decision;
use crate::strategy::{PlanContext, Scope, Strategy, Taken};
use crate::view::View;

/// Proposes what the function says.
#[derive(Clone, Debug)]
pub struct Scripted {
    /// What its plans change.
    pub scope: Scope,
    /// The proposal.
    pub plan: fn(&View, &PlanContext) -> Decision,
}

impl Serialize for Scripted {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_map(Some(0))?.end()
    }
}

impl Strategy for Scripted {
    fn scope(&self) -> Scope {
        self.scope
    }

    /// Goes by a prefix of its own, which no fixture uses but those that test this.
    fn takes_for(&self, role: Role, content: &str, _: bool) -> Option<Taken> {
        match (content.starts_with("BY-TEXT"), role) {
            (true, _) => Some(Taken::Summary),
            (false, Role::User) => Some(Taken::Human),
            (false, _) => Some(Taken::Other),
        }
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        (self.plan)(view, context)
    }
}
