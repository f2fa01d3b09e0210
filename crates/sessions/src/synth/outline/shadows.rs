//! Where there is place for what is told beside the facts: a session says of each fact and of each
//! of its shadows the same, which are a dozen times as many sentences. So that messages stay as
//! long as recorded ones, most of what the user states stands in few long briefs, most of what the
//! agent keeps in mind in few accounts, results are full of planted lines, and a call names several
//! things at once.

use super::facts::Planner;
use super::{Act, Duty, Errand, FactPlan, Move, Outline, StepPlan};
use crate::synth::prelude::*;

/// Tokens of a sentence of the user or the agent.
const PER_SAID: u32 = 22;
/// What such a sentence, and a name in a call, make a session longer by: sentences stand in place
/// of others.
const ADDED: u32 = 17;
const PER_NAME: u32 = 9;
/// Most things that one call names.
const MOST_NAMED: usize = 8;
/// Turns from one brief to the next: under a tenth of the user's messages are long.
const BRIEF_EVERY: usize = 20;
/// Among how many turns the longest message of the wanted sort is taken.
const BRIEF_AMONG: usize = 6;
/// Steps from one account of the agent to the next: few enough that nine in ten messages are short.
const RECOUNT_EVERY: usize = 6;
/// How many times as much a step or a turn may hold with shadows.
const CROWD: usize = 8;
/// Results between these sizes give way to what is said besides.
const YIELDING: Range<u32> = 200..8_000;
/// The least share of them that stays.
const LEAST: f64 = 0.3;

impl Outline {
    /// Whether what shadows say is put where there is place for it; where needs are uses there are
    /// few enough of them.
    pub(in crate::synth) fn is_crowded(&self) -> bool {
        self.shadowed && !self.played
    }

    /// A limit on what one step or turn holds: shadows crowd it.
    pub(super) fn most(&self, plain: usize) -> usize {
        if self.is_crowded() { plain * CROWD } else { plain }
    }

    /// Chooses in each goal the steps in which the agent says what it keeps in mind: first steps of
    /// turns where there are any, since the user's needs arise there.
    pub(super) fn choose_recounting(&mut self, plan: &SynthPlan) {
        let unpaired = plan.work.closing == Closing::UnpairedCall;
        for goal in 0..self.goals.len() {
            let steps = self.steps_of(&self.goals[goal].turns);
            let wanted = (steps.len() / RECOUNT_EVERY).max(1);
            let speaks = |number: &usize| {
                let step = &self.steps[*number];
                let stopped = self.turns[step.turn].turn_move == Move::Stop;
                !stopped && !self.is_spoken_for(step) && (unpaired || !step.results.is_empty())
            };
            let opens =
                |number: &usize| self.turns[self.steps[*number].turn].steps.start == *number;
            let any: Vec<usize> = steps.filter(speaks).collect();
            let first: Vec<usize> = any.iter().copied().filter(opens).collect();
            let from = if first.len() < wanted { any } else { first };
            let chosen = (0..wanted.min(from.len())).map(|n| from[n * from.len() / wanted]);
            for number in chosen.collect::<Vec<usize>>() {
                self.steps[number].recounts = true;
            }
        }
    }

    /// Whether a step's call is settled: shadows would leave no loop and no repetition.
    pub(super) fn is_spoken_for(&self, step: &StepPlan) -> bool {
        (self.shadowed || self.played) && !matches!(step.act, Act::Ordinary | Act::Closing(_))
    }

    /// The turns in which the user says a lot; none where facts have no shadows.
    pub(super) fn briefs(&self) -> Vec<usize> {
        let mut briefs: Vec<usize> = if self.is_crowded() { vec![0] } else { Vec::new() };
        while let Some(last) = briefs.last() {
            let next = last + BRIEF_EVERY..(last + BRIEF_EVERY + BRIEF_AMONG).min(self.turns.len());
            let longest = |wanted: &dyn Fn(Move) -> bool| {
                let fit = next.clone().filter(|turn| wanted(self.turns[*turn].turn_move));
                fit.max_by_key(|turn| self.turns[*turn].user_tokens)
            };
            let redirects = briefs.len() % 2 == 1;
            let redirect = longest(&|turn_move| turn_move == Move::Redirect).filter(|_| redirects);
            let Some(turn) = redirect.or_else(|| longest(&|turn_move| turn_move != Move::Stop))
            else {
                break;
            };
            briefs.push(turn);
        }
        briefs
    }

    /// Whether a result of this look at the step has a planted line already.
    pub(super) fn is_joined(&self, step: usize, look: Look) -> bool {
        let planted = |errand: &Errand| matches!(errand, Errand::Plant(of, _) if *of == look);
        self.errands(step).iter().any(planted)
    }

    /// Whether a step is one in which a fact can be mentioned again.
    pub(super) fn can_mention(&self, step: usize, fact: usize) -> bool {
        if self.played {
            return self.has_call(step);
        }
        if !self.shadowed || self.steps[step].recounts {
            return true;
        }
        if self.facts[fact].form.call.is_none() {
            return false;
        }
        let mut errands = self.errands(step);
        errands.len() < self.steps[step].results.len() || self.joins(&mut errands, fact).is_some()
    }

    /// The names that a call gives already and that this one can stand beside.
    pub(super) fn joins<'a>(
        &self,
        errands: &'a mut [Errand],
        fact: usize,
    ) -> Option<&'a mut Vec<usize>> {
        let alike = |plan: &FactPlan| {
            let call = plan.form.call.as_ref();
            call.map(|call| (call.tool, plan.form.kind == FactKind::Value))
        };
        let wanted = alike(&self.facts[fact]).filter(|_| self.is_crowded())?;
        errands.iter_mut().find_map(|errand| match errand {
            Errand::Name(named) => {
                let same = alike(&self.facts[named[0]]) == Some(wanted);
                (same && named.len() < MOST_NAMED && !named.contains(&fact)).then_some(named)
            }
            Errand::Plant(..) | Errand::Sign(..) => None,
        })
    }

    /// Mixes what the user says in one message.
    pub(super) fn mix(&mut self, rng: &mut ChaCha8Rng) {
        for turn in &mut self.turns {
            for last in (1..turn.says.len()).rev() {
                turn.says.swap(last, rng.random_range(0..=last as u32) as usize);
            }
        }
    }

    /// Shortens long results by what shadows add to messages.
    pub(super) fn make_room(&mut self) {
        let shadow = |fact: &usize| self.facts[*fact].shadow;
        let mut added = 0;
        for (number, step) in self.steps.iter().enumerate() {
            let named: Vec<usize> = self
                .errands(number)
                .into_iter()
                .flat_map(|errand| if let Errand::Name(named) = errand { named } else { vec![] })
                .collect();
            for duty in &step.duties {
                added += match duty {
                    Duty::Birth(fact) | Duty::Echo(fact) | Duty::Demand(fact) if !shadow(fact) => 0,
                    Duty::Birth(fact) => match self.facts[*fact].form.birth {
                        Birth::Result(_) => 0,
                        _ => ADDED,
                    },
                    Duty::Echo(fact) | Duty::Demand(fact) if named.contains(fact) => PER_NAME,
                    Duty::Echo(_) | Duty::Demand(_) => ADDED,
                    Duty::Sign(_) => 0,
                };
            }
        }
        let said = self.turns.iter().flat_map(|turn| &turn.says).filter(|fact| shadow(fact));
        added += ADDED * said.count() as u32;
        let yielding = |size: &&mut u32| YIELDING.contains(*size);
        let mut sizes: Vec<&mut u32> =
            self.steps.iter_mut().flat_map(|step| &mut step.results).filter(yielding).collect();
        let all: u32 = sizes.iter().map(|size| **size).sum();
        let share = (1.0 - f64::from(added) / f64::from(all.max(1))).max(LEAST);
        for size in &mut sizes {
            **size = ((f64::from(**size) * share) as u32).max(YIELDING.start);
        }
    }
}

impl Planner<'_> {
    /// Lets the user state the next fact: in a message that is long anyway, else in a brief.
    pub(super) fn brief(
        &mut self,
        number: usize,
        kind: FactKind,
        turns: &Range<usize>,
    ) -> Option<usize> {
        let range = super::said_within(self.plan, kind, turns);
        let open: Vec<usize> = range.clone().filter(|&turn| self.has_room(turn)).collect();
        let turn = if open.is_empty() {
            let before = |turn: usize| turn < range.end;
            let redirects = |turn: usize| self.outline.turns[turn].turn_move == Move::Redirect;
            let mut briefs = self.briefs.iter().copied();
            let wanted = briefs.clone().find(|&turn| {
                kind == FactKind::Direction && turn >= range.start && redirects(turn)
            });
            wanted.or_else(|| briefs.rfind(|&turn| before(turn)))?
        } else {
            pick(&mut self.rng, &open)
        };
        let turn = &mut self.outline.turns[turn];
        turn.says.push(number);
        Some(turn.steps.start)
    }

    /// The next turn in which the user can say more.
    pub(super) fn brief_after(&self, turn: usize) -> Option<usize> {
        let turns = turn + 1..self.outline.turns.len();
        turns.into_iter().find(|turn| self.has_room(*turn) || self.briefs.contains(turn))
    }

    /// Whether a planned message has room for one more fact.
    fn has_room(&self, turn: usize) -> bool {
        let turn = &self.outline.turns[turn];
        let said = PER_SAID * (turn.says.len() as u32 + 1);
        turn.turn_move != Move::Stop && said <= turn.user_tokens
    }
}

#[cfg(test)]
pub(super) mod tests;
