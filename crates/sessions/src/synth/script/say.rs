//! What people and the agent say.

use super::Writer;
use super::calls::CallPlan;
use crate::synth::outline::{Arrival, Duty, Errand, FactPlan, Move};
use crate::synth::output;
use crate::synth::prelude::*;

/// Characters of a token of plain prose, measured with `o200k_base`.
const PROSE: f64 = 4.6;
/// The same of an account that ends a turn.
const ACCOUNT: f64 = 4.1;
/// Share of looks and runs that come without a word, where needs are uses.
const SILENT: f64 = 0.6;

/// Steps through a list of sentences whose length none of them divides.
pub(in crate::synth) const STRIDES: [usize; 6] = [1, 7, 11, 13, 17, 19];

pub(super) fn goal(
    world: &World,
    component: &Component,
    rng: &mut ChaCha8Rng,
) -> (Cast, Vec<String>) {
    let mut cast = component.cast();
    cast.set("aspect", cast.drawn("{noun} {thing}", rng));
    let others: Vec<&Component> =
        world.components.iter().filter(|other| other.name != component.name).collect();
    cast.set("other-component", pick(rng, &others).name.as_str());
    let file = format!("{{dir}}/{{verb}}_{{noun}}.{}", world.ending());
    let files = (0..6).map(|_| cast.drawn(&file, rng)).collect();
    (cast, files)
}

impl Writer<'_> {
    /// Words that differ from message to message.
    fn vary(&mut self) -> Cast {
        let mut cast = self.goal.clone();
        cast.draw(&["noun"], &mut self.text);
        cast.set("n", (self.text.random_range(2..90) * 50).to_string());
        cast
    }

    fn phrase(&mut self, from: &[String]) -> String {
        let cast = self.vary();
        sentence(&cast.fill(pick_line(&mut self.text, from)))
    }

    /// Whether what matters in the message at hand comes last.
    pub(super) fn comes_late(&mut self) -> bool {
        // A bank without such messages draws nothing.
        self.bank.late.get() > 0.0 && self.bank.late.happens(&mut self.text)
    }

    pub(super) fn user_text(&mut self, number: usize, late: bool) -> (String, String) {
        let turn = &self.outline.turns[number];
        let user = &self.bank.user;
        let mut parts = Vec::new();
        match turn.turn_move {
            Move::Open => parts.push(self.phrase(&user.open)),
            Move::Clarify => parts.push(self.phrase(&user.clarify)),
            Move::Extend => parts.push(self.phrase(&user.extend)),
            Move::Redirect => {
                parts.push(self.phrase(&user.turn_round));
                // Where the direction itself stands in a brief.
                if self.outline.shadowed && turn.says.is_empty() {
                    parts.push(self.phrase(&user.extend));
                }
            }
            Move::Correct => parts.push(self.phrase(&user.correct)),
            Move::Reject => parts.push(self.phrase(&user.reject)),
            Move::Stop => {
                let said = self.phrase(&user.stop);
                return (said.clone(), said);
            }
            // What the user needs or says is then the whole message.
            Move::FollowUp if turn.tempt.is_some() => {}
            Move::FollowUp => parts.push(self.phrase(&user.follow_up)),
        }
        for &fact in &turn.says {
            let plan = &self.outline.facts[fact];
            match plan.arrival {
                Arrival::Announced if plan.form.kind == FactKind::Value => {
                    parts.push(self.phrase(&user.replace));
                }
                Arrival::Announced => parts.push(self.phrase(&user.reconsider)),
                Arrival::First | Arrival::Paraphrased => {}
            }
            parts.push(self.said(fact));
        }
        if let Some(fact) = turn.tempt {
            let form = self.outline.facts[fact].form;
            let from = match self.is_played() {
                true => form.asking(),
                false if form.needs_tempting() => &form.tempt,
                false => &user.need,
            };
            let cast = self.outline.used(fact, turn.steps.start);
            parts.push(sentence(&cast.fill(pick_line(&mut self.text, from))));
        }
        let title = parts.first().cloned().unwrap_or_default();
        let told = parts.len();
        self.background(&mut parts, turn.user_tokens);
        if late {
            parts.rotate_left(told);
        }
        (self.joined(&parts), title)
    }

    /// Adds sentences until the message has about its length.
    fn background(&mut self, parts: &mut Vec<String>, tokens: u32) {
        let room = (f64::from(tokens) * PROSE) as usize;
        let sentences = &self.bank.user.background;
        let mut places = self.walk(sentences.len());
        let mut used: usize = parts.iter().map(|part| part.len() + 1).sum();
        // The half of a sentence: on average the message is as long as wanted.
        while used + 45 < room
            && let Some(at) = places.next()
        {
            let said = self.phrase(&sentences[at..=at]);
            used += said.len() + 1;
            parts.push(said);
        }
    }

    /// Places of a list without end; a prime stride visits every place before any comes again.
    fn walk(&mut self, count: usize) -> impl Iterator<Item = usize> + use<> {
        let first = self.text.random_range(0..count as u32) as usize;
        let stride = pick(&mut self.text, &STRIDES);
        std::iter::successors(Some(first), move |at| Some((at + stride) % count))
    }

    fn fact_phrase(&mut self, fact: usize, from: &[String]) -> String {
        let template = pick_line(&mut self.text, from);
        sentence(&self.outline.facts[fact].cast.fill(template))
    }

    fn said(&mut self, fact: usize) -> String {
        let plan = &self.outline.facts[fact];
        let uses = self.is_played();
        let template = match plan.arrival {
            Arrival::First | Arrival::Announced if uses => plan.form.naming(&mut self.text),
            Arrival::First | Arrival::Announced => {
                plan.form.saying(self.outline.shadowed, &mut self.text)
            }
            Arrival::Paraphrased => plan.form.revising(self.outline.shadowed, &mut self.text),
        };
        let said = sentence(&plan.cast.fill(template));
        // Whoever asks for it later says what it is about, and nothing else.
        let user = &self.bank.user;
        let (about, concerns) = match plan.form.has_aspect() {
            true => ("aspect", &user.concerns_aspect),
            false => ("component", &user.concerns),
        };
        if !uses || said.contains(plan.cast.get(about)) {
            return said;
        }
        format!("{said} {}", self.fact_phrase(fact, concerns))
    }

    /// How a fact is named when it is needed: in words, unless the call names it.
    fn recalled(&mut self, fact: usize) -> String {
        let form = self.outline.facts[fact].form;
        if !form.recall.is_empty() {
            return self.fact_phrase(fact, &form.recall);
        }
        if form.call.is_some() {
            return self.fact_phrase(fact, &self.bank.agent.refer);
        }
        self.outline.facts[fact].statement()
    }

    pub(super) fn agent_text(&mut self, step: usize, calls: &[CallPlan]) -> String {
        let errands = self.outline.errands(step);
        let mut parts = Vec::new();
        for &duty in &self.outline.steps[step].duties {
            match duty {
                Duty::Sign(_) => {}
                Duty::Birth(fact) if self.born_in_result(fact) => {}
                Duty::Birth(fact) => parts.push(self.said(fact)),
                Duty::Demand(fact) | Duty::Echo(fact) => {
                    let names = |errand: &Errand| matches!(errand, Errand::Name(all) if all.contains(&fact));
                    match errands.iter().any(names) {
                        false => parts.push(self.spelled(fact)),
                        // A call that names several things speaks for itself.
                        true if self.outline.is_crowded() => {}
                        true if self.speaks_for_itself(step, fact) => {}
                        true => parts.push(self.recalled(fact)),
                    }
                }
            }
        }
        if parts.is_empty() { self.narration(calls) } else { self.joined(&parts) }
    }

    /// Whether nothing is said beside the call that uses a fact: what is said besides would read as
    /// its reason.
    fn speaks_for_itself(&mut self, step: usize, fact: usize) -> bool {
        let in_code = self.outline.facts[fact].form.is_named_in_code();
        let alone = self.outline.steps[step].duties.len() == 1;
        self.is_played() && in_code && (!alone || self.text.random_bool(SILENT))
    }

    /// Sentences as a message has them: many of them stand on lines of their own.
    fn joined(&self, parts: &[String]) -> String {
        let listed = self.outline.shadowed && parts.len() > 3;
        parts.join(if listed { "\n" } else { " " })
    }

    fn narration(&mut self, calls: &[CallPlan]) -> String {
        if !self.plan.work.narration.happens(&mut self.text) {
            return String::new();
        }
        let Some(call) = calls.first() else { return String::new() };
        let agent = &self.bank.agent;
        if self.failed && self.text.random_bool(0.7) {
            return self.phrase(&agent.after_failure);
        }
        let from = match call.look.form().tool {
            Tool::Read => &agent.read,
            Tool::Search => &agent.search,
            Tool::Edit => &agent.edit,
            Tool::Test => &agent.test,
            Tool::Shell => &agent.shell,
        };
        let mut cast = self.vary();
        cast.set("file", call.target.as_str());
        cast.set("symbol", call.target.as_str());
        sentence(&cast.fill(pick_line(&mut self.text, from)))
    }

    pub(super) fn closing_text(&mut self, step: usize) -> String {
        let step = &self.outline.steps[step];
        if self.outline.turns[step.turn].turn_move == Move::Stop {
            return self.phrase(&self.bank.agent.halted);
        }
        let mut parts = Vec::new();
        for &duty in &step.duties {
            match duty {
                Duty::Birth(fact) => parts.push(self.said(fact)),
                Duty::Demand(fact) | Duty::Echo(fact) => parts.push(self.spelled(fact)),
                Duty::Sign(_) => {}
            }
        }
        if parts.is_empty() {
            parts.push(self.phrase(&self.bank.agent.closing));
        }
        if self.plan.work.closing == Closing::UnpairedCall {
            return self.joined(&parts);
        }
        let told = parts.len();
        let details = &self.bank.agent.detail;
        let places = self.walk(details.len());
        let count = self.text.random_range(0..4_u32);
        for at in places.take(count as usize) {
            let mut cast = self.vary();
            cast.set("file", self.accounted());
            parts.push(sentence(&cast.fill(&details[at])));
        }
        if self.comes_late() {
            parts.rotate_left(told);
        }
        self.joined(&parts)
    }

    /// As [`Writer::recalled`], where no other argument names the fact.
    fn spelled(&mut self, fact: usize) -> String {
        let plan = &self.outline.facts[fact];
        if plan.form.recall.is_empty() { plan.statement() } else { self.recalled(fact) }
    }

    /// An account of about `tokens` tokens; empty for none.
    pub(super) fn account(&mut self, tokens: u32) -> String {
        let room = (f64::from(tokens) * ACCOUNT) as usize;
        let world = &self.outline.world;
        let mut text = String::new();
        while text.len() + 40 < room {
            let part = pick_ref(&mut self.text, &RESULTS.account);
            text.push_str(&format!("\n\n**{}**\n", part.head));
            for _ in 0..self.text.random_range(2..6) {
                text.push('\n');
                let cast = self.item();
                text.push_str(&sentence(&cast.fill(pick_line(&mut self.text, &part.lines))));
            }
            if self.text.random_bool(0.2) {
                let file = self.file();
                let code = output::passage(&file, world, 60, &mut self.text);
                text.push_str(&format!("\n\n```\n{code}\n```"));
            }
        }
        text
    }

    fn item(&mut self) -> Cast {
        let mut cast = Cast::default();
        cast.draw(&["verb", "noun", "thing", "part"], &mut self.text);
        let verbs = third_person(cast.get("verb"));
        cast.set("verbs", verbs);
        cast.set("file", self.accounted());
        cast.set("n", self.text.random_range(3..900).to_string());
        cast
    }
}

impl FactPlan {
    pub fn statement(&self) -> String {
        sentence(&self.cast.fill(&self.form.statement))
    }
}
