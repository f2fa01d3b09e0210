"""The two kits that test compaction, beside Proctor: time of a case."""

from contestants import REPEATS, SIZES
from machine import HERE, WORK, driver, fresh, python_of, run
from proctor_side import drive, measured, scenario, suite

# Compacts at each of five points, which is what a case of either kit does.
PIPELINE = "langchain"
KITS = (("conformance-kit", "drive_conformance_kit"), ("compactbench", "drive_compactbench"))
# Few and many sessions of a kit: what one more costs is the difference by their number.
FEW, MANY = 12, 252


def least(results):
    """Of several runs, the least by compactor."""
    seconds = [result["seconds"] for result in results]
    return {**results[0], "seconds": {key: min(one[key] for one in seconds) for key in seconds[0]}}


def kit_cases():
    found = {}
    for environment, name in KITS:
        sizes = {}
        if environment == "conformance-kit":
            sizes["own corpus"] = least([driver(environment, name) for _ in range(REPEATS)])
        for size in SIZES:
            log = WORK / f"{size}.jsonl"
            sizes[size] = least([driver(environment, name, log) for _ in range(REPEATS)])
        found[environment] = sizes
    return found


def forced_scenario(size):
    """The session with five points at which a stage must act."""
    path = WORK / f"forced-{size}.toml"
    text = scenario(size).read_text()
    path.write_text(text.replace('wire = "text"\n', 'wire = "text"\nforced-at = { parts = 6 }\n'))
    return path


def forced_costs():
    return {size: measured(PIPELINE, size, [forced_scenario(size)], "forced") for size in SIZES}


def corpus_cost():
    """CPU seconds of one more session of the kit: reading, counting, driving, measuring, rows."""
    seconds = []
    for count in (FEW, MANY):
        logs = fresh(WORK / f"kit-{count}")
        logs.mkdir()
        words = ["--export", logs, count]
        run([python_of("conformance-kit"), HERE / "drivers/drive_conformance_kit.py", *words])
        path = WORK / f"kit-{count}.toml"
        path.write_text((HERE / "scenarios/kit.toml").read_text().replace("LOGS", str(logs)))
        made = suite([path], PIPELINE, mode="forced")
        seconds.append(min(drive(made, report=False) for _ in range(REPEATS)))
    few, many = seconds
    return {"few_seconds": few, "many_seconds": many, "cell_seconds": (many - few) / (MANY - FEW)}


def compare():
    return {"kits": kit_cases(), "proctor": {"own corpus": corpus_cost(), **forced_costs()}}
