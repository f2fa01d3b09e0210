"""All changes of `changes.json` in one build of the tree beside it, each tried alone.

An expression becomes a `match` of all that it could be, a body begins with what it could return.
What does not compile is left out, a round at a time. See `.ci/rules`.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import subprocess
import sys

import tree_sitter
import tree_sitter_rust

CHOSEN = "crate::chosen()"
CHOOSES = """
/// The change that is in force.
pub fn chosen() -> usize {
    static CHOSEN: std::sync::LazyLock<usize> = std::sync::LazyLock::new(|| {
        std::env::var("CHANGE").ok().and_then(|number| number.parse().ok()).unwrap_or(usize::MAX)
    });
    *CHOSEN
}
"""
PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_rust.language()))
CRATE = pathlib.Path("crates/strategies")
TESTS = ["-p", "proctor-strategies", "--lib", "--test", "scenes", "--test", "conformance"]
# Optimizing so many branches takes longer than the tests.
TESTS += ["--config", "profile.dev.package.proctor-strategies.opt-level=0"]
# Seconds for each of the three programs; they take five at most.
PATIENCE = 40
# Most bytes of one.
MEMORY = 6 << 30


class File:
    """A source file with changes in it, and where each stands in what is written."""

    def __init__(self, source, changes):
        self.source = source
        lines = [0] + [match.end() for match in re.finditer(b"\n", source)]
        self.at = collections.defaultdict(list)
        for number, change in changes:
            start = change["span"]["start"]
            line = lines[start["line"] - 1]
            before = source[line:].decode()[: start["column"] - 1]
            place = line + len(before.encode())
            self.at[change["genre"], place].append((number, change["replacement"]))
        # Place, order there, and texts, each with the changes that it is of.
        self.insertions = []
        self.visit(PARSER.parse(source).root_node)

    def visit(self, node):
        if handle := getattr(self, node.type, None):
            handle(node)
        for child in node.children:
            self.visit(child)

    def text(self, start, end):
        return self.source[start:end].decode()

    def choose(self, node, changes):
        """The expression is one of several."""
        if changes:
            numbers, length = [number for number, _ in changes], node.end_byte - node.start_byte
            texts = [(numbers, f"(match {CHOSEN} {{")]
            texts += [([number], f" {number} => {{ {said} }}") for number, said in changes]
            texts.append(([], " _ => ("))
            # The widest opens first and closes last.
            self.insertions.append((node.start_byte, 1_000_000 - length, texts))
            self.insertions.append((node.end_byte, length - 1_000_000, [([], ")})")]))

    def binary_expression(self, node):
        left, operator, right = map(node.child_by_field_name, ("left", "operator", "right"))
        left, right = self.text(*left.byte_range), self.text(*right.byte_range)
        changes = self.at.pop(("BinaryOperator", operator.start_byte), [])
        self.choose(node, [(number, f"({left}) {said} ({right})") for number, said in changes])

    compound_assignment_expr = binary_expression

    def unary_expression(self, node):
        operand = self.text(*node.children[1].byte_range)
        changes = self.at.pop(("UnaryOperator", node.start_byte), [])
        self.choose(node, [(number, operand) for number, _ in changes])

    def match_arm(self, node):
        pattern = node.child_by_field_name("pattern")
        condition = pattern.child_by_field_name("condition")
        if condition:
            self.choose(condition, self.at.pop(("MatchArmGuard", condition.start_byte), []))
        # Without a last arm that takes the rest, the `match` would not be whole.
        rest = self.text(*node.parent.named_children[-1].child_by_field_name("pattern").byte_range)
        for number, _ in self.at.pop(("MatchArm", node.start_byte), []) if rest == "_" else []:
            stands = ([number], f"{CHOSEN} != {number}")
            if condition:
                self.insertions.append((condition.start_byte, 0, [stands, ([], " && (")]))
                self.insertions.append((condition.end_byte, 0, [([], ")")]))
            else:
                self.insertions.append((pattern.end_byte, 0, [([], " if "), stands]))

    def struct_expression(self, node):
        changes = []
        for field in node.child_by_field_name("body").named_children:
            for number, _ in self.at.pop(("StructField", field.start_byte), []):
                behind = self.text(field.end_byte, node.end_byte).lstrip().removeprefix(",")
                changes.append((number, self.text(node.start_byte, field.start_byte) + behind))
        self.choose(node, changes)

    def function_item(self, node):
        body = node.child_by_field_name("body")
        said = [child for child in body.named_children if "comment" not in child.type]
        changes = self.at.pop(("FnValue", said[0].start_byte), []) if said else []
        returns = f" if {CHOSEN} == %d {{ return %s; }}"
        texts = [([number], returns % (number, value)) for number, value in changes]
        self.insertions.append((body.start_byte + 1, 0, texts))

    def written(self):
        """The file, and which changes stand where in it."""
        out, places, done = bytearray(), [], 0
        for place, _, texts in sorted(self.insertions, key=lambda one: one[:2]):
            out += self.source[done:place]
            done = place
            for numbers, text in texts:
                places.append((len(out), len(out) + len(text.encode()), numbers))
                out += text.encode()
        return bytes(out + self.source[done:]), places


def cargo(tree, *words):
    ran = subprocess.run(
        ["cargo", *words, "--locked", "--message-format=json"],
        cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "CARGO_TARGET_DIR": "../build", "RUSTFLAGS": "--cap-lints allow"},
    )  # fmt: skip
    return ran, [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]


def write(tree, sources, changes, left_out):
    """Writes every file with its changes; where they stand, and those of no known place."""
    places, lost = {}, set()
    by_file = collections.defaultdict(list)
    for number, change in enumerate(changes):
        if number not in left_out:
            by_file[change["file"]].append((number, change))
    for name, source in sources.items():
        file = File(source, by_file[name])
        lost.update(number for left in file.at.values() for number, _ in left)
        text, places[name] = file.written()
        if name == f"{CRATE}/src/lib.rs":
            text += CHOOSES.encode()
        (tree / name).write_bytes(text)
    return places, lost


def refused(messages, places):
    """The changes that errors of the compiler are of."""
    found = set()
    for message in messages:
        spans = message["message"]["spans"] if message["reason"] == "compiler-message" else []
        if not spans or message["message"]["level"] != "error":
            continue
        spans.sort(key=lambda span: not span["is_primary"])
        of = (
            numbers
            for span in spans
            for start, end, numbers in places.get(span["file_name"], [])
            if start <= span["byte_start"] < end and numbers
        )
        found.update(next(of, []))
    return found


def build(tree, changes):
    """The test programs with every change that compiles, and the changes that do not."""
    sources = {name: (tree / name).read_bytes() for name in {one["file"] for one in changes}}
    lib = f"{CRATE}/src/lib.rs"
    sources.setdefault(lib, (tree / lib).read_bytes())
    # Another iterator is another type.
    left_out = {
        n for n, one in enumerate(changes) if one["replacement"].startswith("::std::iter::")
    }
    while True:
        places, lost = write(tree, sources, changes, left_out)
        left_out |= lost
        ran, messages = cargo(tree, "check", "-p", "proctor-strategies", "--lib")
        if ran.returncode == 0:
            break
        more = refused(messages, places) - left_out
        print(f"{len(left_out)} changes left out, {len(more)} do not compile", file=sys.stderr)
        if not more:
            sys.exit(
                ran.stderr
                + "\n".join(
                    one["message"]["rendered"]
                    for one in messages
                    if one["reason"] == "compiler-message"
                )
            )
        left_out |= more
    ran, messages = cargo(tree, "test", "--no-run", *TESTS)
    if ran.returncode:
        sys.exit(ran.stderr)
    built = [one.get("executable") for one in messages if one["reason"] == "compiler-artifact"]
    return sorted(filter(None, built), key=lambda one: "proctor_strategies" in one), left_out


def tried(tree, programs, number):
    """The program that sees a change; nothing where none does."""
    crate = (tree / CRATE).resolve()
    known = {"CHANGE": str(number), "CARGO_MANIFEST_DIR": str(crate), "CI": "true"}
    for program in programs:
        try:
            ran = subprocess.run(
                [program, "--test-threads=1"], cwd=crate, env={**os.environ, **known},
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=PATIENCE,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return "it does not end"
        if ran.returncode:
            return pathlib.Path(program).name.rsplit("-", 1)[0]
    return None


def shown(change):
    """The change without its place, which other changes move."""
    return re.sub(r"^crates/strategies/src/(\S+?):\d+:\d+", r"\1", change["name"])


def main(home, *parts):
    home = pathlib.Path(home)
    changes = json.loads((home / "changes.json").read_text())
    programs, left_out = build(home / "tree", changes)
    if seen := tried(home / "tree", programs, len(changes)):
        sys.exit(f"{seen} fails without a change")
    chosen = [n for n in range(len(changes)) if n not in left_out]
    chosen = [n for n in chosen if not parts or any(p in changes[n]["name"] for p in parts)]
    # A change can make a program ask for memory without end.
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    unseen, done = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for number, seen in zip(
            chosen, pool.map(lambda n: tried(home / "tree", programs, n), chosen)
        ):
            done += 1
            print(f"\r{done} of {len(chosen)}", end="", file=sys.stderr)
            if not seen:
                unseen[shown(changes[number])] += 1
    print(file=sys.stderr)
    lines = pathlib.Path(".ci/rules.txt").read_text().splitlines()
    known = collections.Counter(line.split("  # ")[0] for line in lines if not line.startswith("#"))
    print(f"{len(chosen)} changes compile, cases see {len(chosen) - unseen.total()}")
    print(f"{(unseen & known).total()} make no difference (.ci/rules.txt)")
    for change in (unseen - known).elements():
        print(f"unseen: {change}")
    sys.exit(bool(unseen - known))


main(*sys.argv[1:])
