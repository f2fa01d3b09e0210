"""A stand-in for the binary: it writes what it was called with, and does what STUB says."""

import json
import os
import pathlib
import sys

stub = json.loads(os.environ["STUB"])
words = sys.argv[1:]
pathlib.Path(os.environ["STUB_WORDS"]).write_text(json.dumps(words), encoding="utf-8")
for word in words:
    if word.startswith("--json=") and "json" in stub:
        pathlib.Path(word[len("--json=") :]).write_text(json.dumps(stub["json"]), encoding="utf-8")
sys.stdout.buffer.write(stub.get("stdout", "").encode())
sys.stderr.buffer.write(stub.get("stderr", "").encode())
sys.exit(stub.get("code", 0))
