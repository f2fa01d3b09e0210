"""docs/speed-peers.md and its chart, from results.json. No figure is written by hand."""

import os
import re
import sys

import chart
from contestants import CONTESTANTS, SIZES
from machine import HERE, ROOT

PAGE = ROOT / "docs/speed-peers.md"
CHART = ROOT / "docs/images/speed-peers.svg"
AIMS = {"frameworks": 50, "kits": 20}
FIRST, LAST = list(SIZES)[0], list(SIZES)[-1]
# Of a profile: functions above this share are what calls the others.
ENTRY, SHOWN = 0.9, 4


def number(value):
    """Three digits that count."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 0.001 else f"{value:.1g}"


def times(value):
    return f"{number(value)} ×"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def theirs(results, one):
    return {size: results["frameworks"][one.key][size]["ms_per_step"] for size in SIZES}


def faster(results, one):
    own = chart.own_ms(results, one.pipeline)
    return {size: theirs(results, one)[size] / own[size] for size in SIZES}


def partial_mark(run):
    """Where a session was not driven whole."""
    if run["steps_taken"] < run["steps"]:
        return "¹"
    return "²" if run["steps_asked"] < run["steps_taken"] else ""


def sessions(results):
    rows = [
        [size, *(f"{results['sessions'][size][key]:,}" for key in keys)]
        for keys in [("tokens", "turns", "messages", "steps", "facts")]
        for size in SIZES
    ]
    return table(["session", "tokens", "turns", "messages", "steps", "facts"], rows)


def agrees(results, one):
    if not one.port:
        return "no port"
    views = results["views"][one.key].values()
    return f"{sum(v['agree'] for v in views):,} of {sum(v['steps'] for v in views):,} steps"


def framework_table(results, agent):
    rows = []
    for one in (one for one in CONTESTANTS if one.agent == agent):
        ms, ratio = theirs(results, one), faster(results, one)
        runs = results["frameworks"][one.key]
        row = [one.title, *(number(ms[size]) + partial_mark(runs[size]) for size in SIZES)]
        row += [times(ms[LAST] / ms[FIRST]), f"`{one.pipeline}`"]
        row += [" / ".join(number(ratio[size]) for size in SIZES)]
        rows.append(row if agent else [*row, agrees(results, one)])
    head = ["ms a step", *SIZES, "growth", "Proctor's pipeline", f"faster at {' / '.join(SIZES)}"]
    return table(head if agent else [*head, "same views"], rows)


def notes(results):
    lines = []
    for one in CONTESTANTS:
        for size, run in results["frameworks"][one.key].items():
            steps, taken, asked = (run[key] for key in ("steps", "steps_taken", "steps_asked"))
            mark = partial_mark(run)
            if mark == "¹":
                lines.append(f"¹ {one.title} at {size}: the first {taken:,} of {steps:,} steps.")
            elif mark:
                lines.append(
                    f"² {one.title} at {size}: {asked:,} steps of {steps:,}, evenly spread."
                )
    return "  \n".join(sorted(lines, key=lambda line: "¹²".index(line[0])))


def proctor_table(results):
    pipelines, rows = results["proctor"]["pipelines"], []
    for name, costs in pipelines.items():
        ms = chart.own_ms(results, name)
        last, idle = costs[LAST], pipelines["idle"][LAST]
        more = 1000 * (last["cell_seconds"] - idle["cell_seconds"])
        count = last["compactions"]
        each = number(max(more, 0) / count) + " ms" if count else "–"
        whole = " / ".join(number(costs[size]["command_seconds"]) for size in SIZES)
        row = [f"`{name}`", *(number(ms[size]) for size in SIZES), times(ms[LAST] / ms[FIRST])]
        rows.append([*row, f"{count:,}", each, whole])
    head = ["ms a step", *SIZES, "growth", f"compactions at {LAST}", "a compaction"]
    return table([*head, f"whole command, s, {' / '.join(SIZES)}"], rows)


def profile_table(results):
    titles = {one.key: one.title for one in CONTESTANTS}
    rows = []
    for key, functions in results["profiles"].items():
        inner = [one for one in functions if one["share"] < ENTRY]
        told = ", ".join(f"`{one['function']}` {100 * one['share']:.0f} %" for one in inner[:SHOWN])
        rows.append([titles[key], told])
    return table(["contestant", "largest shares"], rows).replace("|---|---:|", "|---|---|")


def kit_columns(results):
    return list(results["kits"]["proctor"])


def kit_table(results):
    columns, rows = kit_columns(results), []
    own = {name: cost["cell_seconds"] for name, cost in results["kits"]["proctor"].items()}
    names = {"conformance-kit": "compaction-conformance-kit", "compactbench": "CompactBench"}
    for kit, sizes in results["kits"]["kits"].items():
        for compactor in sizes[LAST]["seconds"]:
            seconds = {name: one["seconds"][compactor] for name, one in sizes.items()}
            row = [f"{names[kit]}, `{compactor}`"]
            for name in columns:
                known = name in seconds
                ratio = f" ({times(seconds[name] / own[name])})" if known else ""
                row.append(f"{number(1000 * seconds[name])}{ratio}" if known else "–")
            rows.append(row)
    rows.append(["Proctor, `langchain`", *(number(1000 * own[name]) for name in columns)])
    return table(["ms a case (over Proctor's)", *columns], rows)


def reached(ratios, aim):
    return f"{sum(ratio >= aim for ratio in ratios)} of {len(ratios)}"


def answer(results):
    """The targets, and what was found."""
    agents, alone = (
        [faster(results, one)[LAST] for one in CONTESTANTS if one.agent == agent]
        for agent in (True, False)
    )
    own = {name: cost["cell_seconds"] for name, cost in results["kits"]["proctor"].items()}
    kits = [
        seconds / own[LAST]
        for sizes in results["kits"]["kits"].values()
        for seconds in sizes[LAST]["seconds"].values()
    ]
    spans = [
        f"Proctor is {span(agents)} a whole agent. "
        f"At least {AIMS['frameworks']} times faster: {reached(agents, AIMS['frameworks'])}.",
        f"It is {span(alone)} the compaction alone. "
        f"At least {AIMS['frameworks']} times faster: {reached(alone, AIMS['frameworks'])}.",
        f"A case of its own is {span(kits)} a kit's. "
        f"At least {AIMS['kits']} times faster: {reached(kits, AIMS['kits'])}.",
    ]
    lead = (
        f"The aim was a step {AIMS['frameworks']} times faster than a framework's, and a case "
        f"{AIMS['kits']} times faster than a kit's. At {LAST} tokens:"
    )
    return "\n".join([lead, "", *(f"- {one}" for one in spans)])


def span(ratios):
    """From the least to the most favourable."""
    return f"{number(min(ratios))} to {number(max(ratios))} times as fast as"


def filled(results):
    corpus = results["kits"]["kits"]["conformance-kit"]["own corpus"]
    values = {
        "answer": answer(results),
        "sessions": sessions(results),
        "repeats": str(results["machine"]["repeats"]),
        "cores": str(results["machine"]["cores"]) + " cores",
        "processor": results["machine"]["processor"],
        "version": results["proctor"]["version"],
        "agents": framework_table(results, True),
        "alone": framework_table(results, False),
        "notes": notes(results),
        "proctor": proctor_table(results),
        "start": f"{1000 * results['proctor']['start_seconds']:.0f} ms",
        "profiles": profile_table(results),
        "kits": kit_table(results),
        "minutes": f"{sum(results['minutes'].values()):.0f}",
        "kit turns": f"{corpus['turns']:.0f}",
        "kit characters": f"{corpus['characters']:,.0f}",
    }
    text = re.sub(r"{{(.*?)}}", lambda match: values[match[1]], (HERE / "page.md").read_text())
    note = "<!-- Written by benches/peers/run from benches/peers/page.md and results.json. -->"
    title, _, rest = text.partition("\n")
    return f"{title}\n\n{note}\n{rest}"


def write(results, check):
    wanted = {PAGE: filled(results), CHART: chart.draw(results)}
    if check:
        differ = [path for path, text in wanted.items() if not same(path, text)]
        for path in differ:
            print(f"{os.path.relpath(path, ROOT)} is not what results.json gives", file=sys.stderr)
        sys.exit(1 if differ else 0)
    for path, text in wanted.items():
        path.write_text(text)


def same(path, text):
    return path.exists() and path.read_text() == text
