"""`pages`: hostile texts wherever a run can carry a text, and the page of its report in a browser."""

import copy
import csv
import gzip
import io
import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading

from bench import PATIENCE, ROOT, Area, Talk, each, must, proctor
from runs import SUITE, WRITTEN_AGAIN, sealed

# Where a text stands in a run, by file: `*` is every item of a list or object.
FIELDS = {
    "manifest.json": """tool|command|suite|tokenizer|prices name|prices digest|scenarios * name|pipelines * name|references *
        sessions * scenario|sessions * path|summarizers *|cells * key cell|cells * key scenario|cells * key family|cells * key pipeline
        cells * key variant|cells * key mode|cells * key summarizer""",
    "stories/*.json.gz": """cell|configuration|scenario|mode|summarizer|ended_by|share_names *|facts * kind|facts * statement
        compactions * occasion|compactions * stage|compactions * outcome|compactions * instruction|compactions * violations *
        compactions * answers *|compactions * covers * what|compactions * covers * role|compactions * covers * text
        compactions * lost * class|compactions * more_kinds * kind""",
    "inputs.json": """suite name|suite about|scenarios * name|scenarios * purpose|scenarios * shows|scenarios * cannot-show|scenarios * expects
        configurations * pipeline name|configurations * pipeline about|configurations * pipeline source|prompts *|prices""",
    "host.json": "binary|os|architecture",
}
COLUMNS = ["cell", "scenario", "family", "pipeline", "variant", "mode", "summarizer", "error"]
# What a person writes who has the program read it: settings, and a transcript.
SUITE_MADE = 'name = "made"\nabout = TEXT\nscenarios = ["made-scenario.toml"]\npipelines = ["none", "made.toml"]\nseeds = [1]\nprobes = false\n'
PIPELINE_MADE = """\
name = "made"
about = TEXT
source = TEXT
fidelity = "document"
[[stage]]
strategy.full-replace = {}
prompt = "made.md"
on.before-call = "pressure"
pressure = [{ used = ["system", "schemas", "messages"], limit.share = 0.4 }]
"""
# What a browser does to a page: everything is opened, touched, chosen; then what is there is told.
TOUCH = """(async () => {
  const pause = () => new Promise((done) => setTimeout(done, PAUSE));
  document.querySelectorAll('details').forEach((one) => { one.open = true; });
  let words = document.documentElement.textContent;
  const named = ['button', 'summary', 'th', 'label', "a:not([href^='charts/'])", 'input'].join(',');
  for (const one of document.querySelectorAll('body *')) {
    for (const kind of ['mouseover', 'mouseenter', 'pointerenter', 'focus', 'focusin', 'toggle', 'animationstart']) one.dispatchEvent(new Event(kind, { bubbles: true }));
  }
  for (const one of [...document.querySelectorAll(named)].slice(0, 400)) one.click();
  await pause();
  for (const chosen of document.querySelectorAll('select')) {
    for (const option of [...chosen.options].slice(0, 12)) {
      chosen.value = option.value;
      for (const kind of ['input', 'change']) chosen.dispatchEvent(new Event(kind, { bubbles: true }));
      await pause();
      words += document.documentElement.textContent;
    }
  }
  const all = [...document.querySelectorAll('*')];
  const alien = 'img,iframe,object,embed,form,base,link,video,audio,template,math,plaintext,textarea,marquee,foreignObject,animate';
  const attributes = all.flatMap((one) => [...one.attributes].map((said) => [said.name.toLowerCase(), said.value.trim()]));
  return {
    ran: window.__pwned !== undefined,
    scripts: document.scripts.length,
    alien: [...document.querySelectorAll(alien)].map((one) => one.outerHTML.slice(0, 200)),
    handlers: attributes.filter(([name]) => name.startsWith('on') || name === 'srcdoc'),
    addresses: attributes.filter(([name, value]) => ['href', 'src', 'action', 'xlink:href', 'data'].includes(name) && !/^(#|charts\\/)/.test(value)),
    words,
  };
})()"""
# Milliseconds that a page has for what was chosen, longer where it did not come.
PAUSES = (15, 200, 2000)
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="[^"]*">')


class Browser:
    """Chromium over a pipe: the few commands of its debugging protocol that are needed."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory()
        # The protocol speaks on descriptors 3 and 4; a shell puts our pipes there.
        line = (
            "exec chromium --headless=new --no-sandbox --disable-gpu --no-first-run --disable-background-networking"
            ' --remote-debugging-pipe --user-data-dir="$1" about:blank 3<&0 4>&1 </dev/null >/dev/null 2>&1'
        )
        self.child = subprocess.Popen(["sh", "-c", line, "sh", self.profile.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.read, self.last, self.session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self.call(f"{domain}.enable")

    def message(self):
        late = threading.Timer(PATIENCE, self.child.kill)
        late.start()
        while b"\0" not in self.read:
            more = self.child.stdout.read1(1 << 20)
            if not more:
                raise RuntimeError("chromium ended, or did not answer")
            self.read += more
        late.cancel()
        one, _, self.read = self.read.partition(b"\0")
        message = json.loads(one)
        if message.get("method") == "Page.javascriptDialogOpening":
            # The page stands still until it is closed.
            self.send("Page.handleJavaScriptDialog", accept=True)
        return message

    def send(self, method, **parameters):
        self.last += 1
        command = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        self.child.stdin.write(json.dumps(command).encode() + b"\0")
        self.child.stdin.flush()
        return self.last

    def call(self, method, **parameters):
        number = self.send(method, **parameters)
        while True:
            message = self.message()
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{answer['exceptionDetails']}"[:2000])
        return answer["result"].get("value")

    def seen(self, page, pause):
        """What becomes of a page, and the faults of it."""
        self.events = []
        self.call("Page.navigate", url=f"file://{page}")
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())
        # The event may be that of the page before.
        self.evaluate("new Promise((done) => document.readyState === 'complete' ? done(0) : addEventListener('load', () => done(0)))")
        # A story is unpacked, and two frames later what observers draw is drawn.
        self.evaluate("typeof loading === 'undefined' ? 0 : loading")
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")
        told = self.evaluate(TOUCH.replace("PAUSE", str(pause)))
        kinds = [event.get("method") for event in self.events]
        faults = [("ran", "the mark is set")] if told["ran"] else []
        faults += [("ran", "a dialog opened")] * ("Page.javascriptDialogOpening" in kinds)
        asked = [event["params"]["request"]["url"] for event in self.events if event.get("method") == "Network.requestWillBeSent"]
        faults += [("asked for something", url) for url in asked[1:]]
        faults += [("let markup in", f"{told[kind]}"[:400]) for kind in ("alien", "handlers", "addresses") if told[kind]]
        if told["scripts"] > 2:
            faults.append(("let markup in", f"{told['scripts']} scripts"))
        return told["words"], faults

    def close(self):
        self.child.kill()
        self.child.wait()
        self.profile.cleanup()


def put(value, way, text):
    """Puts the text wherever this way leads."""
    key, *rest = way
    keys = (value if isinstance(value, dict) else range(len(value))) if key == "*" else [key] if key in value else []
    for key in list(keys):
        if rest:
            put(value[key], rest, text)
        elif isinstance(value[key], str):
            value[key] = text


def ways(file):
    return [field.split() for field in re.split(r"\||\n\s*", FIELDS[file])]


def tampered(text, whole, folder):
    """A run in which every field is the text, with digests that fit."""
    run = folder / "run"
    shutil.copytree(whole, run, ignore=WRITTEN_AGAIN)
    for file in FIELDS:
        for path in run.glob(file):
            packed = path.suffix == ".gz"
            data = json.loads(gzip.decompress(path.read_bytes()) if packed else path.read_bytes())
            if file == "stories/*.json.gz":
                for compaction in data["compactions"]:
                    compaction["violations"] = [""]
                    compaction["lost"] = [{"fact": 0, "class": "", "needed_at": [12]}]
                    compaction["more_kinds"] = [{"kind": "", "entries": 3, "tokens": 9, "shown": 2}]
            if file == "manifest.json":
                # A cell beside those of the table, which failed for this reason.
                failed = copy.deepcopy(data["cells"][-1])
                failed["state"] = {"failed": text}
                failed["key"]["seed"] = 2
            for way in ways(file):
                put(data, way, text)
            data = json.dumps(data).encode()
            path.write_bytes(gzip.compress(data, 1) if packed else data)
    table = run / "measurements.csv"
    rows = list(csv.reader(io.StringIO(table.read_text())))
    for row in rows[1:]:
        for column in COLUMNS:
            row[rows[0].index(column)] = text
    made = io.StringIO()
    csv.writer(made, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    table.write_text(made.getvalue(), newline="")
    sealed(run)
    return ["report", "run"]


def toml(text):
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def written(text, _, folder):
    """A run of a suite, a scenario, a pipeline, a prompt and a transcript that say the text wherever they may."""
    scenario = (ROOT / "scenarios/pocket.toml").read_text().replace('name = "pocket"', 'name = "made-scenario"')
    scenario = re.sub(r'(?m)^(purpose|shows|cannot-show|expects) = ".*"$', lambda found: f"{found[1]} = {toml(text)}", scenario)
    (folder / "made-scenario.toml").write_text(scenario)
    (folder / "made.toml").write_text(PIPELINE_MADE.replace("TEXT", toml(text)))
    (folder / "made.md").write_text(text.replace("{{", "{ {") + "\n\n{{material}}\n")
    (folder / "made-suite.toml").write_text(SUITE_MADE.replace("TEXT", toml(text)))
    talk = Talk()
    # As many as fill the window to where the pipeline acts, also with letters that are few tokens.
    for number in range(10):
        talk.turn(f"{text} Keep src/part_{number}.rs as it is. {text}")
        head = {"role": "assistant", "id": f"t{number}", "model": text, "usage": {"input_tokens": 100 * number, "output_tokens": 1}}
        call = {"type": "tool_use", "id": f"c{number}", "name": text, "input": {"file_path": text, "command": text}}
        blocks = [{"type": "thinking", "thinking": text, "signature": text}, {"type": "text", "text": text}, call]
        fields = {"cwd": text, "gitBranch": text, "version": text, "slug": text}
        talk.line(type="assistant", message={**head, "content": blocks}, **fields)
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"{text} " * (4000 // len(text))}
        talk.line(type="user", message={"role": "user", "content": [result]}, toolUseResult=text, **fields)
    talk.line(type="summary", summary=text, leafUuid=text)
    talk.line(type="system", subtype="compact_boundary", content=text, compactMetadata={"trigger": text, "preTokens": 9})
    talk.line(type="user", isCompactSummary=True, message={"role": "user", "content": text})
    talk.turn(text)
    name = re.sub(r"[/\0]", "_", text)[:60] + ".jsonl"
    (folder / name).write_text(talk.text())
    return ["run", "made-suite.toml", f"./{name}", "--window", "16384", "--out", "run"]


def letters(text):
    return "".join(letter for letter in text if "!" <= letter <= "~")


def pages(_, work, share):
    if not shutil.which("chromium"):
        print("skipped: pages, which needs chromium", file=sys.stderr)
        return None
    texts = json.loads((ROOT / "tests/page/corpus.json").read_text())
    fields = sum(len(ways(file)) for file in FIELDS) + len(COLUMNS)
    area = Area("pages", f"{len(texts)} hostile texts, in {fields} fields of a run and in all that is written for one; its page opened, its policy on and stripped")
    home = work / "pages"
    home.mkdir()
    (home / "small.toml").write_text(SUITE)
    must(["run", "small.toml", "--out", "whole"], home)
    listener, visits = socket.create_server(("127.0.0.1", 0)), []

    def listen():
        while True:
            stream, _ = listener.accept()
            visits.append(stream.recv(4096))
            stream.close()
    threading.Thread(target=listen, daemon=True).start()
    own = f"127.0.0.1:{listener.getsockname()[1]}"
    local = threading.local()
    browsers = []

    def browser():
        if not hasattr(local, "browser"):
            local.browser = Browser()
            browsers.append(local.browser)
        return local.browser

    def one(task):
        text, make = task
        text = text.replace("evil.example", own)
        with tempfile.TemporaryDirectory(dir=home) as scratch:
            folder = pathlib.Path(scratch)
            words = make(text, home / "whole", folder)
            code, said = proctor(area, words, folder)
            page = folder / "run/report.html"
            if code:
                area.faults.append(("no report", f"{make.__name__} {text!r}: {said[-300:].decode(errors='replace')}"))
                return
            whole = page.read_text()
            stripped, count = POLICY.subn("", whole)
            if count != 1:
                area.faults.append(("no policy", repr(text)))
            for policy, html in (("with", whole), ("without", stripped)):
                page.write_text(html)
                before, faults = len(visits), []
                for pause in PAUSES:
                    shown, found = browser().seen(page, pause)
                    faults += found
                    if letters(text) in letters(shown):
                        break
                else:
                    faults.append(("does not show it", ""))
                faults += [("asked for something", repr(visit)) for visit in visits[before:]]
                area.faults += [(kind, f"{make.__name__} {text!r}, {policy} its policy: {told}") for kind, told in faults]
    try:
        # A page that does run something is told from one that does not.
        bad = home / "bad.html"
        bad.write_text(f"<p>a</p><img src=http://{own}/ onerror='window.__pwned = 1; alert(1)'>")
        kinds = {kind for kind, _ in browser().seen(bad, PAUSES[0])[1]}
        if kinds != {"ran", "asked for something", "let markup in"} or not visits:
            sys.exit(f"the browser tells nothing: {kinds}")
        tasks = [(text, make) for text in texts for make in (tampered, written)]
        each(tasks if share >= 1 else tasks[:: max(1, round(1 / share) | 1)], one)
    finally:
        for opened in browsers:
            opened.close()
    return area
