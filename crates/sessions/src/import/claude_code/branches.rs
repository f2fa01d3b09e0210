//! Which prompts were rewound: the lines are a graph by `parentUuid`, and the last line says which
//! branch the session went on with.

use crate::prelude::*;

struct Line {
    parent: Option<String>,
    /// Of what was gathered from it.
    number: Option<usize>,
    is_prompt: bool,
}

/// The lines of a session by `uuid`.
#[derive(Default)]
pub(super) struct Branches {
    lines: FxHashMap<String, Line>,
    order: Vec<String>,
    last: Option<String>,
}

impl Branches {
    /// A line; `number` is of what was gathered from it.
    pub(super) fn line(
        &mut self,
        uuid: String,
        parent: Option<String>,
        number: Option<usize>,
        is_prompt: bool,
    ) {
        if number.is_some() {
            self.last = Some(uuid.clone());
        }
        self.order.push(uuid.clone());
        self.lines.insert(uuid, Line { parent, number, is_prompt });
    }

    /// The numbers of what was taken back: prompts beside the way from the last line to its root,
    /// which branch off it, and what descends from them. Parallel results branch off too, but no
    /// prompt begins them.
    pub(super) fn rewound(&self) -> BTreeSet<usize> {
        let way = self.way();
        let mut gone: FxHashSet<&str> = FxHashSet::default();
        for uuid in self.order.iter().filter(|uuid| !way.contains(uuid.as_str())) {
            let line = &self.lines[uuid];
            let parent = line.parent.as_deref();
            let branches_off = line.is_prompt && parent.is_some_and(|parent| way.contains(parent));
            if branches_off || parent.is_some_and(|parent| gone.contains(parent)) {
                gone.insert(uuid);
            }
        }
        // The parts of one message are one: what is also on the way stays.
        let stays: BTreeSet<usize> =
            way.iter().filter_map(|uuid| self.lines.get(*uuid)?.number).collect();
        let numbers = gone.iter().filter_map(|uuid| self.lines[*uuid].number);
        numbers.filter(|number| !stays.contains(number)).collect()
    }

    fn way(&self) -> FxHashSet<&str> {
        let mut way = FxHashSet::default();
        let mut next = self.last.as_deref();
        while let Some(uuid) = next {
            // A ring has no root; what was seen of it is the way.
            if !way.insert(uuid) {
                break;
            }
            next = self.lines.get(uuid).and_then(|line| line.parent.as_deref());
        }
        way
    }
}
