//! Summarizers that fail: which sessions end, and which facts are lost without a word.

use super::prelude::*;

pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let faults = &figures.run.manifest.faults;
    if faults.is_empty() {
        return Ok(None);
    }
    let mut struck: BTreeMap<&str, Vec<Faulty>> = BTreeMap::new();
    for one in figures.shown().filter_map(|config| Faulty::of(figures, config)) {
        struck.entry(&one.config.mode).or_default().push(one);
    }
    let mut parts = Parts::default().value("main", figures.main);
    let modes = struck.into_iter().map(|(name, own)| {
        let named = |wanted: &dyn Fn(&Faulty) -> bool| -> Vec<String> {
            own.iter().filter(|one| wanted(one)).map(|one| one.config.name()).collect()
        };
        let dies = |one: &Faulty| faults.iter().any(|fault| one.killed(fault).next().is_some());
        context! {
            name,
            lives => named(&|one| !dies(one)),
            dies => named(&dies),
            silent => named(&|one| any(&one.struck, MetricId::FaultsSilentFacts)),
            stale => named(&|one| any(&one.struck, MetricId::SendsStale)),
            fates => parts.place(fates(&own, faults, name)),
            means => parts.place(means(&own, figures, name)),
        }
    });
    let modes: Vec<Value> = modes.collect();
    Ok(Some(parts.value("modes", modes)))
}

/// How many configurations were struck as deployed, and how many of them no fault ends or makes lose
/// history silently; `None` where the run has no faults.
pub fn counts(figures: &Figures) -> Option<Value> {
    let faults = &figures.run.manifest.faults;
    let deployed = figures.shown().filter(|config| config.is_deployed());
    let struck: Vec<Faulty> = deployed.filter_map(|config| Faulty::of(figures, config)).collect();
    let dies = |one: &&Faulty| faults.iter().any(|fault| one.killed(fault).next().is_some());
    let is_silent = |one: &&Faulty| any(&one.struck, MetricId::FaultsSilentFacts);
    let sound = struck.iter().filter(|one| !dies(one) && !is_silent(one));
    let sound: Vec<String> = sound.map(|one| one.config.name()).collect();
    let counts = context! {
        all => struck.len(),
        sound,
        die => struck.iter().filter(dies).count(),
        silent => struck.iter().filter(is_silent).count(),
    };
    (!struck.is_empty()).then_some(counts)
}

fn any(cells: &[&MeasuredCell], metric: MetricId) -> bool {
    cells.iter().any(|row| row.number(metric) > Some(0.0))
}

struct Faulty<'a> {
    config: &'a Config,
    /// Its cells under a fault that are done.
    struck: Vec<&'a MeasuredCell>,
    /// Its cells under the same summarizer without a fault.
    sound: Vec<&'a MeasuredCell>,
}

impl<'a> Faulty<'a> {
    fn of(figures: &Figures<'a>, config: &'a Config) -> Option<Faulty<'a>> {
        let own = |row: &&MeasuredCell| config.matches(&row.key) && row.is_done() && !row.is_twin();
        let (struck, sound): (Vec<&MeasuredCell>, Vec<&MeasuredCell>) =
            figures.run.measurements.iter().filter(own).partition(|row| row.key.fault().is_some());
        let sound = sound.into_iter().filter(|row| row.key.summarizer == figures.main).collect();
        (!struck.is_empty()).then_some(Faulty { config, struck, sound })
    }

    fn under<'b>(&'b self, fault: &'b str) -> impl Iterator<Item = &'a MeasuredCell> + 'b {
        self.struck.iter().copied().filter(move |row| row.key.fault() == Some(fault))
    }

    /// The sessions that end early under a fault and, as far as is known, not without it.
    fn killed<'b>(&'b self, fault: &'b str) -> impl Iterator<Item = &'a MeasuredCell> + 'b {
        self.under(fault).filter(move |row| {
            let same = self.sound.iter().find(|own| own.session() == row.session());
            !row.completed() && same.is_none_or(|own| own.completed())
        })
    }

    /// The worst that a fault does in any session.
    fn fate(&self, fault: &str) -> Cell {
        let driven: Vec<&MeasuredCell> = self.under(fault).collect();
        let any = |metric| any(&driven, metric);
        let (text, tone) = match (self.killed(fault).count(), driven.len()) {
            (_, 0) => ("not driven", Tone::Faint),
            (some @ 1.., all) if some < all => {
                return Cell::text(format!("died in {some} of {all}")).toned(Tone::Bad);
            }
            (1.., _) => ("died", Tone::Bad),
            _ if any(MetricId::FaultsSilentFacts) => ("lost history silently", Tone::Bad),
            _ if driven.iter().any(|row| !row.completed()) => ("dies anyway", Tone::Faint),
            _ if !any(MetricId::FaultsStruck) => ("not struck", Tone::Faint),
            _ if any(MetricId::SendsStale) => ("sent stale", Tone::Plain),
            _ if any(MetricId::FaultsToldFacts) => ("lost, and said so", Tone::Plain),
            _ => ("survived", Tone::Good),
        };
        Cell::text(text).toned(tone)
    }
}

fn fates(all: &[Faulty], faults: &[String], mode: &str) -> Table {
    let rows = all.iter().map(|one| {
        let fates = faults.iter().map(|fault| one.fate(fault));
        [Cell::code(one.config.name())].into_iter().chain(fates).collect()
    });
    let titles = ["Configuration"].into_iter().chain(faults.iter().map(String::as_str));
    Table::of(format!("What became of each configuration under each fault, {mode}"), titles, rows)
}

/// Means a session under faults, beside the same without.
fn means(all: &[Faulty], figures: &Figures, mode: &str) -> Table {
    let few: Write = |value| format!("{value:.1}");
    let ratio: Write = |value| format!("{value:.2}");
    let whole_seconds: Write = |milliseconds| format!("{:.0}", milliseconds / 1e3);
    let rows = all.iter().map(|one| {
        let alone = |metric, write: Write| {
            Cell::number(figures.mean(&one.struck, metric).value, write, "no such figure for it")
        };
        // With the mean without a fault.
        let beside = |metric, write: Write| {
            let cell = alone(metric, write);
            match cell.value.and(figures.mean(&one.sound, metric).value) {
                Some(sound) => cell.followed_by(&format!("({})", write(sound))),
                None => cell,
            }
        };
        vec![
            Cell::code(one.config.name()),
            beside(MetricId::Completion, number::share),
            alone(MetricId::FaultsSilentFacts, few),
            alone(MetricId::FaultsSilentTokens, number::tokens),
            alone(MetricId::FaultsToldFacts, few),
            alone(MetricId::SendsStale, few),
            beside(MetricId::Attempts, few),
            beside(MetricId::AttemptsFailed, few),
            alone(MetricId::FaultsCostRatio, ratio),
            beside(MetricId::LatencyMax, whole_seconds),
            alone(MetricId::FaultsRecallChange, number::change),
            beside(MetricId::Violations, few),
            beside(MetricId::Misclassified, few),
            beside(MetricId::ThrashHardlyFreed, few),
        ]
    });
    let titles = "Configuration|#Completed|#Facts lost silently|#Tokens lost silently|\
                  #Facts lost and said so|#Stale sends|#Attempts|#Failed attempts|\
                  #Dollars over no fault|#Longest wait (s)|#Recall change|#Violations|\
                  #Misclassified|#Hardly freed";
    let caption = format!("Means a session over all faults (without a fault), {mode}");
    Table::of(caption, titles.split('|'), rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Measurement;

    fn row(seed: u64, fault: &str, figures: &[(MetricId, f64)]) -> MeasuredCell {
        let key = CellKey {
            cell: format!("s@50k/a/{seed}/{fault}"),
            scenario: "s".to_owned(),
            family: "s".to_owned(),
            turns: 9,
            window: 50_000,
            pipeline: "a".to_owned(),
            variant: "windowed".to_owned(),
            mode: "deployed".to_owned(),
            seed,
            summarizer: format!("extractive{fault}"),
            replicate: 0,
        };
        let mut measured = Measurement::default();
        let usual = [(MetricId::Completion, 1.0), (MetricId::FaultsStruck, 3.0)];
        for (metric, value) in usual.iter().chain(figures) {
            measured.put(*metric, *value);
        }
        MeasuredCell::done(key, measured)
    }

    #[test]
    fn the_word_is_the_worst_that_happened() {
        let dead = (MetricId::Completion, 0.0);
        let silent = (MetricId::FaultsSilentFacts, 4.0);
        let stale = (MetricId::SendsStale, 1.0);
        let told = (MetricId::FaultsToldFacts, 2.0);
        let idle = (MetricId::FaultsStruck, 0.0);
        let whole = || row(1, "+error", &[]);
        let sound = [row(1, "", &[]), row(2, "", &[])];
        for (struck, sound, word) in [
            (vec![whole(), row(2, "+error", &[])], &sound[..], "survived"),
            (vec![whole(), row(2, "+error", &[dead, silent])], &sound, "died in 1 of 2"),
            (vec![whole(), row(2, "+error", &[silent, stale])], &sound, "lost history silently"),
            (vec![whole(), row(2, "+error", &[stale, told])], &sound, "sent stale"),
            (vec![whole(), row(2, "+error", &[told])], &sound, "lost, and said so"),
            (vec![row(1, "+error", &[dead])], &sound, "died"),
            (vec![row(1, "+error", &[idle])], &sound, "not struck"),
            (vec![row(1, "+empty", &[])], &[], "not driven"),
            (vec![row(1, "+error", &[dead])], &[row(1, "", &[dead])], "dies anyway"),
        ] {
            let (config, struck) = (Config::default(), struck.iter().collect());
            let faulty = Faulty { config: &config, struck, sound: sound.iter().collect() };
            assert_eq!(faulty.fate("error").text, word);
        }
    }
}
