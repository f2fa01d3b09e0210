//! Which part of a run this process is, as schedulers tell it.

use super::Partition;

/// How a scheduler says which of several processes this is.
struct Scheduler {
    name: &'static str,
    /// The variable with the place.
    place: &'static str,
    /// The variable with the number of processes, where it has one.
    of: Option<&'static str>,
    /// The variable with the first place, or the first place.
    first: Result<&'static str, u32>,
    /// The variable with the distance of two places.
    step: Option<&'static str>,
}

/// The first whose place is set counts.
const SCHEDULERS: [Scheduler; 8] = [
    Scheduler {
        name: "Slurm",
        place: "SLURM_ARRAY_TASK_ID",
        of: Some("SLURM_ARRAY_TASK_COUNT"),
        first: Ok("SLURM_ARRAY_TASK_MIN"),
        step: Some("SLURM_ARRAY_TASK_STEP"),
    },
    Scheduler {
        name: "AWS Batch",
        place: "AWS_BATCH_JOB_ARRAY_INDEX",
        of: Some("AWS_BATCH_JOB_ARRAY_SIZE"),
        first: Err(0),
        step: None,
    },
    Scheduler {
        name: "Kubernetes",
        place: "JOB_COMPLETION_INDEX",
        of: None,
        first: Err(0),
        step: None,
    },
    Scheduler { name: "PBS", place: "PBS_ARRAY_INDEX", of: None, first: Err(1), step: None },
    Scheduler {
        name: "LSF",
        place: "LSB_JOBINDEX",
        of: Some("LSB_JOBINDEX_END"),
        first: Err(1),
        step: None,
    },
    Scheduler {
        name: "GitLab",
        place: "CI_NODE_INDEX",
        of: Some("CI_NODE_TOTAL"),
        first: Err(1),
        step: None,
    },
    Scheduler {
        name: "CircleCI",
        place: "CIRCLE_NODE_INDEX",
        of: Some("CIRCLE_NODE_TOTAL"),
        first: Err(0),
        step: None,
    },
    Scheduler {
        name: "Buildkite",
        place: "BUILDKITE_PARALLEL_JOB",
        of: Some("BUILDKITE_PARALLEL_JOB_COUNT"),
        first: Err(0),
        step: None,
    },
];

/// The part that the environment names. `of` is the number of parts where the command line says it:
/// then the place is taken as it is, also where the scheduler runs some of the parts alone.
pub(super) fn read(
    of: Option<u32>,
    environment: impl Fn(&str) -> Option<String>,
) -> Result<Partition, String> {
    let number = |name: &str| -> Result<u32, String> {
        let text = environment(name).ok_or_else(|| format!("{name} is not set"))?;
        text.parse().map_err(|_| format!("{name} is no number"))
    };
    let mut all = SCHEDULERS.iter();
    let Some(known) = all.find(|one| environment(one.place).is_some()) else {
        let names: Vec<&str> = SCHEDULERS.iter().map(|one| one.place).collect();
        return Err(format!(
            "no scheduler says which part this is: none of {} is set",
            names.join(", ")
        ));
    };
    let place = number(known.place)?;
    let (first, step) = match (of, known.first) {
        // An array of parts begins at 1 where its places may be chosen.
        (Some(_), Ok(_)) => (1, 1),
        (None, Ok(first)) => (number(first)?, known.step.map_or(Ok(1), number)?),
        (_, Err(first)) => (first, 1),
    };
    let of = match (of, known.of) {
        (Some(of), _) => of,
        (None, Some(name)) => number(name)?,
        (None, None) => {
            return Err(format!("{} does not say how many parts there are: `auto/N`", known.name));
        }
    };
    let part = place.checked_sub(first).map(|from| from / step.max(1) + 1);
    part.filter(|part| *part <= of)
        .map(|part| Partition { part, of })
        .ok_or_else(|| format!("{} {place} is none of {of} parts", known.place))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(of: Option<u32>, variables: &[(&str, &str)]) -> Result<String, String> {
        let value = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        read(of, value).map(|partition| partition.to_string())
    }

    #[test]
    fn the_part_is_what_the_scheduler_says() {
        let slurm = |id, count, min, step| {
            [
                ("SLURM_ARRAY_TASK_ID", id),
                ("SLURM_ARRAY_TASK_COUNT", count),
                ("SLURM_ARRAY_TASK_MIN", min),
                ("SLURM_ARRAY_TASK_STEP", step),
            ]
        };
        assert_eq!(told(None, &slurm("3", "4", "1", "1")).as_deref(), Ok("3/4"));
        assert_eq!(told(None, &slurm("4", "4", "0", "2")).as_deref(), Ok("3/4"));
        // One element that is submitted again alone knows its place among all.
        assert_eq!(told(Some(4), &slurm("3", "1", "3", "1")).as_deref(), Ok("3/4"));
        assert_eq!(told(Some(5), &[("JOB_COMPLETION_INDEX", "0")]).as_deref(), Ok("1/5"));
        let gitlab = [("CI_NODE_INDEX", "2"), ("CI_NODE_TOTAL", "3")];
        assert_eq!(told(None, &gitlab).as_deref(), Ok("2/3"));
        let batch = [("AWS_BATCH_JOB_ARRAY_INDEX", "2"), ("AWS_BATCH_JOB_ARRAY_SIZE", "3")];
        assert_eq!(told(None, &batch).as_deref(), Ok("3/3"));
    }

    #[test]
    fn what_it_does_not_say_is_an_error_that_names_the_variable() {
        for (of, variables, says) in [
            (None, &[][..], "SLURM_ARRAY_TASK_ID"),
            (None, &[("JOB_COMPLETION_INDEX", "1")], "`auto/N`"),
            (None, &[("CI_NODE_INDEX", "x"), ("CI_NODE_TOTAL", "2")], "CI_NODE_INDEX is no number"),
            (None, &[("CI_NODE_INDEX", "1")], "CI_NODE_TOTAL is not set"),
            (Some(2), &[("JOB_COMPLETION_INDEX", "2")], "is none of 2 parts"),
            (None, &[("CI_NODE_INDEX", "0"), ("CI_NODE_TOTAL", "2")], "CI_NODE_INDEX 0"),
        ] {
            let error = told(of, variables).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }
}
