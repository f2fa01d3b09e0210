//! The truth of a finished session, read back from its log and checked.

use rayon::prelude::*;

use super::outline::{FactPlan, Outline};
use crate::prelude::*;

/// The rule that a drawn session breaks, for people; another draw may keep it.
pub(super) type Broken = String;

/// What the script noted while it wrote, facts numbered as in the outline.
pub(super) struct Record {
    pub born: Vec<Option<MsgId>>,
    pub demands: Vec<(usize, MsgId)>,
    pub arcs: Vec<(String, Vec<MsgId>)>,
}

/// Every message that holds each fact, in content or arguments. `facts[i].id` must be `FactId(i)`.
pub fn mentions(log: &Log, facts: &[Fact]) -> Vec<Vec<MsgId>> {
    by_fact(log, facts, &searched(log, facts), Holding::present)
}

fn searched(log: &Log, facts: &[Fact]) -> Vec<Vec<Holding>> {
    let index = NeedleIndex::new(facts);
    log.messages.par_iter().map(|message| search(&index, message)).collect()
}

fn by_fact(
    log: &Log,
    facts: &[Fact],
    searched: &[Vec<Holding>],
    holds: impl Fn(Holding) -> bool,
) -> Vec<Vec<MsgId>> {
    let mut messages = vec![Vec::new(); facts.len()];
    for (message, holdings) in log.messages.iter().zip(searched) {
        for holding in holdings.iter().filter(|holding| holds(**holding)) {
            messages[holding.fact.index()].push(message.id);
        }
    }
    messages
}

fn search(index: &NeedleIndex, message: &Message) -> Vec<Holding> {
    let mut text = message.content.to_string();
    for call in &message.calls {
        text.push('\n');
        text.push_str(&call.args);
    }
    index.search(&text)
}

/// The truth, or the rule that the session breaks.
pub(super) fn truth(log: &Log, outline: &Outline, record: Record) -> Result<Truth, Broken> {
    let mut order: Vec<(MsgId, usize)> = Vec::new();
    let facts = record.born.iter().enumerate();
    for (number, born) in facts.filter(|(number, _)| !outline.facts[*number].shadow) {
        order.push((born.ok_or_else(|| format!("fact {number} was never stated"))?, number));
    }
    order.sort_unstable();
    let mut id_of = vec![FactId(0); outline.facts.len()];
    for (id, &(_, number)) in order.iter().enumerate() {
        id_of[number] = FactId(id as u32);
    }
    let stated = |&(born, number): &(MsgId, usize)| {
        let plan = &outline.facts[number];
        let superseded_by = plan.replaced_by.map(|other| id_of[other]);
        let fact = Fact { superseded_by, ..fact(plan, id_of[number], born) };
        if outline.shadowed { plan.form.in_relation(&plan.cast, fact) } else { fact }
    };
    let mut facts: Vec<Fact> = order.iter().map(stated).collect();
    let searched = searched(log, &facts);
    let held = by_fact(log, &facts, &searched, Holding::present);
    // A call names a fact without saying what it is about.
    let names = |holding: Holding| {
        let fact = &facts[holding.fact.index()];
        let all = holding.found as usize == fact.needles.len();
        holding.present() || (all && !fact.topic.is_empty())
    };
    let named = by_fact(log, &facts, &searched, names);
    for (fact, mentions) in facts.iter_mut().zip(held) {
        fact.mentions = mentions;
    }
    let demand = |(number, at)| Demand { fact: id_of[number], at, origin: Origin::Planned };
    let needed = record.demands.into_iter().filter(|(number, _)| !outline.facts[*number].shadow);
    let mut demands: Vec<Demand> = needed.map(demand).collect();
    demands.sort_by_key(|demand| (demand.at, demand.fact));
    let decoys = (0..).map(FactId).zip(&outline.decoys);
    let decoys = decoys.map(|(id, plan)| fact(plan, id, MsgId(0))).collect();
    let goals = (0..).map(GoalId).zip(record.arcs);
    let goals = goals.map(|(id, (title, arc))| Goal { id, title, arc }).collect();
    let truth = Truth { goals, facts, demands, decoys };
    check(log, &truth, &named)?;
    Ok(truth)
}

fn fact(plan: &FactPlan, id: FactId, born: MsgId) -> Fact {
    let (goal, statement) = (Some(GoalId(plan.goal as u32)), plan.statement());
    Fact { id, goal, statement, born, ..plan.form.fact(&plan.cast) }
}

fn check(log: &Log, truth: &Truth, named: &[Vec<MsgId>]) -> Result<(), Broken> {
    let index = NeedleIndex::new(&truth.facts);
    for fact in &truth.facts {
        let (said, born) = (&fact.statement, fact.born);
        if fact.mentions.first() != Some(&born) {
            let first = fact.mentions.first();
            return Err(format!("`{said}` is stated at {first:?}, born at {born:?}"));
        }
        let stated = index.search(said);
        if !stated.iter().any(|holding| holding.fact == fact.id && holding.present()) {
            return Err(format!("`{said}` does not hold its own needles"));
        }
        if fact.kind.has_polarity() == fact.polarity.is_empty() {
            return Err(format!("`{said}` has polarity needles against the rule of its kind"));
        }
    }
    check_needles(truth, &index)?;
    for demand in &truth.demands {
        check_demand(log, truth, demand, &named[demand.fact.index()])?;
    }
    for (decoy, mentions) in truth.decoys.iter().zip(mentions(log, &truth.decoys)) {
        if let Some(message) = mentions.first() {
            return Err(format!("the decoy `{}` occurs at {}", decoy.statement, message.0));
        }
    }
    Ok(())
}

/// Every fact has a needle of its own; others may be its subject, which it shares with a successor,
/// or a word of the form. No statement holds another fact as well.
fn check_needles(truth: &Truth, index: &NeedleIndex) -> Result<(), Broken> {
    let mut owners: FxHashMap<&Needle, Vec<FactId>> = FxHashMap::default();
    for fact in &truth.facts {
        for needle in &fact.needles {
            owners.entry(needle).or_default().push(fact.id);
        }
    }
    for fact in &truth.facts {
        let said = &fact.statement;
        if !fact.needles.iter().any(|needle| owners[needle].len() == 1) {
            return Err(format!("`{said}` has no needle of its own"));
        }
        let mut others = index.search(said).into_iter().filter(|held| held.fact != fact.id);
        if let Some(other) = others.find(|held| held.present()) {
            let other = &truth.facts[other.fact.index()].statement;
            return Err(format!("`{said}` states `{other}` as well"));
        }
    }
    Ok(())
}

/// What was appended since the call before must not hold the fact: any context would answer then.
fn check_demand(log: &Log, truth: &Truth, demand: &Demand, named: &[MsgId]) -> Result<(), Broken> {
    let fact = &truth.facts[demand.fact.index()];
    let said = &fact.statement;
    let (at, messages) = (demand.at.index(), &log.messages);
    let mut appended =
        messages[..at].iter().rev().take_while(|message| message.role != Role::Assistant);
    if appended.any(|message| named.contains(&message.id)) {
        return Err(format!("`{said}` is needed at {at} right after a mention"));
    }
    if named.binary_search(&demand.at).is_err() {
        return Err(format!("`{said}` is needed at {at}, and the call does not name it"));
    }
    let replaced = fact.superseded_by.map(|id| truth.facts[id.index()].born);
    if fact.born >= demand.at || replaced.is_some_and(|born| born <= demand.at) {
        return Err(format!("`{said}` is needed at {at}, when it does not hold"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(id: u32, statement: &str, needles: &[&str]) -> Fact {
        let needles = needles.iter().map(|text| Needle::Code((*text).to_owned())).collect();
        Fact::new(FactId(id), FactKind::Value, statement, needles)
    }

    fn checked(facts: Vec<Fact>) -> Result<(), Broken> {
        let index = NeedleIndex::new(&facts);
        check_needles(&Truth { facts, ..Truth::default() }, &index)
    }

    #[test]
    fn needles_are_unique_up_to_the_subject_that_a_successor_shares() {
        let old = fact(0, "port is 8441", &["port", "8441"]);
        let new = fact(1, "port is 8414", &["port", "8414"]);
        assert_eq!(checked(vec![old.clone(), new]), Ok(()));
        let same = fact(1, "8441 is the port", &["port", "8441"]);
        let rule = checked(vec![old.clone(), same]).expect_err("the same fact");
        assert_eq!(rule, "`port is 8441` has no needle of its own");
        let wider = fact(1, "port is 8441 on host alpha", &["alpha"]);
        let rule = checked(vec![old, wider]).expect_err("a fact within another");
        assert_eq!(rule, "`port is 8441 on host alpha` states `port is 8441` as well");
    }
}
