//! A strategy that is any function, for tests of the driver.

use crate::plan::Decision;
use crate::strategy::{PlanContext, Scope, Strategy};
use crate::view::View;

/// Proposes what the function says.
#[derive(Clone, Debug)]
pub struct Scripted {
    /// What its plans change.
    pub scope: Scope,
    /// The proposal.
    pub plan: fn(&View, &PlanContext) -> Decision,
}

impl PartialEq for Scripted {
    fn eq(&self, other: &Scripted) -> bool {
        self.scope == other.scope
    }
}

impl Strategy for Scripted {
    fn scope(&self) -> Scope {
        self.scope
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        (self.plan)(view, context)
    }
}
