"""Compares the tables of runs of the first version with those of this one, value by value.

usage: compare.py OLD NEW SUITE...   (OLD/SUITE and NEW/SUITE are run directories; needs pandas and pyarrow)
"""
import sys, os, collections
import pandas as pd

KEYS = {
    "curve": ["pool", "pipeline", "variant", "mode", "summarizer", "point"],
    "floor": ["cell", "checkpoint", "round"],
    "composition": ["cell", "checkpoint", "state", "share"],
    "steps": ["cell", "step"],
    "compactions": ["cell", "number"],
    "facts": ["cell", "demand", "fact"],
    "survival": ["cell", "kind", "axis", "bucket"],
    "triggers": ["cell", "stage", "occasion", "reason"],
}
# The bracket `null` is called `empty` now: in names of cells and where a summarizer is named.
def renamed(series):
    return series.str.replace(r"(^|[/+.])null($|/)", r"\1empty\2", regex=True)

def read(run, table):
    packed = f"{run}/{table}.parquet"
    if os.path.exists(packed):
        frame = pd.read_parquet(packed)
        return frame.astype(object).where(frame.notna(), "")
    return pd.read_csv(f"{run}/{table}.csv", dtype=str, keep_default_na=False)

def unequal(before, now):
    """Which of two columns' values differ: as text, and as numbers where both are numbers."""
    differs = before.astype(str).to_numpy() != now.astype(str).to_numpy()
    if differs.any():
        a = pd.to_numeric(before[differs], errors="coerce").to_numpy()
        b = pd.to_numeric(now[differs], errors="coerce").to_numpy()
        words = before[differs].astype(str).str.lower().to_numpy() == now[differs].astype(str).str.lower().to_numpy()
        differs[differs] = ~((a == b) | words)
    return differs

def indexed(frame, keys):
    for column in frame.columns:
        if column in ("cell", "summarizer", "subject", "variant", "metric"):
            frame[column] = renamed(frame[column].astype(str))
    for key in keys:
        frame[key] = frame[key].astype(str)
    frame["copy"] = frame.groupby(keys).cumcount()
    return frame.set_index(keys + ["copy"]).sort_index()

def compare(old, new, keys):
    o, n = indexed(old, keys), indexed(new, keys)
    both = o.index.intersection(n.index)
    columns = [c for c in o.columns if c in set(n.columns)]
    differ, examples = collections.Counter(), {}
    a, b = o.loc[both], n.loc[both]
    for c in columns:
        where = unequal(a[c], b[c])
        if where.any():
            differ[c] = int(where.sum())
            examples[c] = (both[where][0], a[c][where].iloc[0], b[c][where].iloc[0])
    return dict(rows=(len(o), len(n)), only_old=list(o.index.difference(n.index)), only_new=list(n.index.difference(o.index)),
                values=len(both) * len(columns), differ=differ, examples=examples,
                columns_old=[c for c in o.columns if c not in set(n.columns)],
                columns_new=[c for c in n.columns if c not in set(o.columns)])

def subject(r):
    s = r["scope"]
    st = "/".join([r["configuration"], r["mode"], r["summarizer"]])
    return {"cell": lambda: r["cell"], "session": lambda: f"{r['scenario']}/{r['seed']}", "scenario": lambda: r["scenario"],
            "group": lambda: f"{r['scenario']}/{st}", "configuration": lambda: st, "bank": lambda: st,
            "bracket": lambda: f"{r['scenario']}/{r['configuration']}/{r['mode']}",
            "pair": lambda: f"{r['scenario']}/{r['configuration']} - {r['beside']}/{r['mode']}",
            "stage": lambda: f"{st}/{r['stage']}", "trigger": lambda: f"{st}/{r['stage']}/{r['occasion']}"}[s]()

def derived(old, new):
    o = read(old, "derived")
    n = read(new, "derived")
    left = o[o.metric.str.startswith("claim.") | o.scope.str.startswith("order")]
    o = o.drop(left.index)
    n["subject"] = [subject(r) for r in n.to_dict("records")]
    n["scope"] = n.scope.replace("session", "cell")
    n["value"] = [v or w for v, w in zip(n.value, n.word)]
    result = compare(o[["scope", "subject", "metric", "value", "low", "high", "n"]],
                     n[["scope", "subject", "metric", "value", "low", "high", "n"]], ["scope", "subject", "metric"])
    result["left_out"] = collections.Counter(m.split(".")[0] for m in left.metric)
    return result

def show(suite, table, r):
    print(f"| {suite} | {table} | {r['rows'][0]:,} | {r['rows'][1]:,} | {r['values']:,} | {sum(r['differ'].values()):,} |", flush=True)
    notes = []
    if r["only_old"]: notes.append(f"only old {len(r['only_old'])}: {r['only_old'][:3]}")
    if r["only_new"]: notes.append(f"only new {len(r['only_new'])}: {r['only_new'][:3]}")
    if r["columns_old"] or r["columns_new"]: notes.append(f"columns gone {r['columns_old']} new {r['columns_new']}")
    for c, k in r["differ"].most_common(): notes.append(f"{c} differs {k}: {r['examples'][c]}")
    if r.get("left_out"): notes.append(f"left out {dict(r['left_out'])}")
    for note in notes: print("   ", suite, table, note, file=sys.stderr)

def main():
    old, new, suites = sys.argv[1], sys.argv[2], sys.argv[3:]
    print("| suite | table | rows before | rows now | values compared | different |\n|---|---|---:|---:|---:|---:|")
    for suite in suites:
        a, b = f"{old}/{suite}", f"{new}/{suite}"
        show(suite, "measurements", compare(read(a, "measurements"), read(b, "measurements"), ["cell"]))
        show(suite, "derived", derived(a, b))
        for table, keys in KEYS.items():
            before, now = read(a, table), read(b, table)
            if table == "facts":
                # The share of the fact's needles was rounded to nine digits; now both counts stand.
                now["needles"] = [f"{x / y:.9g}" if y and x != "" else "" for x, y in zip(now.needles, now.of_needles)]
            show(suite, table, compare(before, now, keys))

main()
