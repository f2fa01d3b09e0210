"""`servers`: a small live run against a server on loopback that misbehaves, or repeats the key."""

import base64
import gzip
import json
import pathlib
import socket
import struct
import tempfile
import threading
import time

from bench import Area, each, proctor

KEY = "sk-test/Zq8+vR2=mW7xN4pL&k"
SUITE = """\
name = "live"
about = "a test"
scenarios = ["pocket"]
pipelines = ["full-replace"]
windowless = ["none"]
seeds = [1]
summarizer = "http"
probes = false
"""
ENDPOINT = """\
model = 'small'
window = 8_000
max-output = 200
retries = 1
time-out = { connect = 2, first-byte = 2, total = 3 }
backoff = { first = 0.05, longest = 0.3 }
"""


class Pour:
    """Bytes that are sent again and again, every so often, until the client has had enough."""

    def __init__(self, piece, every=0.0):
        self.piece, self.every = piece, every


def said(content="The work went on.", **more):
    choice = {"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    return {"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 10}, **more}


def http(body="", status="200 OK", *headers, length=None, kind="application/json"):
    """A response; a body that is no text is made JSON."""
    if not isinstance(body, (str, bytes)):
        body = json.dumps(body)
    body = body.encode() if isinstance(body, str) else body
    length = len(body) if length is None else length
    lines = [f"HTTP/1.1 {status}", *([f"content-type: {kind}"] if kind else []), *([] if length == "" else [f"content-length: {length}"]), *headers]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def chunked(body, *headers):
    return http(body, "200 OK", "transfer-encoding: chunked", *headers, length="")


def whole_chunk(body, size=None):
    return f"{size or f'{len(body):x}'}\r\n{body}\r\n0\r\n\r\n"


RESET, WAIT, SOUND = object(), object(), json.dumps(said())
ERROR = {"error": {"message": "no"}}
STATUSES = "000 099 199 201 202 203 204 205 206 207 226 299 300 304 305 306 400 401 402 403 404 405 406 407 408 409 410 411 413 414 415 416 417 418 421 422 423 425 426 428 429 431 451 499 500 501 502 503 504 505 507 508 511 520 524 529 599 600 999 99999 -1 abc".split()
AFTER = ["0", "1000000000", "-1", "inf", "nan", "1e400", "Fri, 31 Dec 9999 23:59:59 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "soon", "", "18446744073709551616", "0x10"]
USAGES = [None, 5, [], {"prompt_tokens": -1, "completion_tokens": -1}, {"prompt_tokens": 1.5, "completion_tokens": 1e308}, {"prompt_tokens": "many"}, {"prompt_tokens": 2**64 - 1, "completion_tokens": 2**64 - 1}, {"prompt_tokens": 2**70}]
# Answers that are none: what stands for the whole, for its choices, for a message, for its content.
NONE = [[], {}, 5, "text", None, True, {"choices": []}, {"choices": {}}, {"choices": None}, {"choices": [5]}, {"choices": [{}]}, {"choices": [{"message": 5}]}, {"choices": [{"message": {}}]}, said(5), said({}), said([5]), said(True)]


def misbehaviours():
    """Name, what is sent, and whether that is the model's own word: an answer, a call, a refusal."""
    redirected = lambda status, to: http("", f"{status} Moved", f"location: {to}")
    for status in STATUSES:
        yield f"status {status}", [http(ERROR, f"{status} Word")], False
    for status in (301, 302, 303, 307, 308):
        yield f"redirect {status}", [redirected(status, "http://127.0.0.2:ELSEWHERE/v1/chat/completions")], False
    for to in ("file:///etc/passwd", "/v1/other", "//127.0.0.2:ELSEWHERE/", "http://127.0.0.2:ELSEWHERE@127.0.0.2:ELSEWHERE/", "", "\x01"):
        yield f"redirect to {to!r}", [redirected(302, to)], False
    for after in AFTER:
        yield f"retry-after {after}", [http(ERROR, "429 Wait", f"retry-after: {after}")], False
    for usage in USAGES:
        yield f"usage {usage}", [http(said(usage=usage))], True
    for number, none in enumerate(NONE):
        yield f"no answer {number}", [http(none)], False
    ok = b"HTTP/1.1 200 OK\r\n"
    yield from (
        ("a time-out", [WAIT], False),
        ("a reset at once", [RESET], False),
        ("nothing", [], False),
        ("a reset in the headers", [ok + b"content-ty", RESET], False),
        ("a reset in the body", [http(SOUND[:40], length=len(SOUND)), RESET], False),
        ("an end in the headers", [ok + b"content-ty"], False),
        ("an end in the body", [http(SOUND[:40], length=len(SOUND))], False),
        ("a stall in the body", [http(SOUND[:40], length=len(SOUND)), WAIT], False),
        ("headers that drip", [ok, Pour(b"x", 0.1)], False),
        ("a body that drips", [http("", length=100_000), Pour(b" ", 0.1)], False),
        ("a chunk that drips", [chunked(""), Pour(b"1\r\n \r\n", 0.1)], False),
        ("1xx without end", [Pour(b"HTTP/1.1 100 Continue\r\n\r\n")], False),
        ("103 without end", [Pour(b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n", 0.001)], False),
        ("headers without end", [ok, Pour(b"x-a: " + b"a" * 1000 + b"\r\n")], False),
        ("a header without end", [ok + b"x-a: ", Pour(b"a" * 65536)], False),
        ("a status line without end", [b"HTTP/1.1 200 ", Pour(b"O" * 65536)], False),
        ("a body without end", [http("", length=""), Pour(b" " * 65536)], False),
        ("chunks without end", [chunked(""), Pour(b"10000\r\n" + b" " * 65536 + b"\r\n")], False),
        ("an error without end", [http("", "500 No", length=""), Pour(b"x" * 65536)], False),
        ("trailers without end", [chunked("0\r\n"), Pour(b"x-a: a\r\n")], False),
        ("15 MB of an answer", [http(said("word " * 3_000_000))], True),
        ("40 MB of an answer", [http(said("word " * 8_000_000))], False),
        ("a length below zero", [http(SOUND, length=-1)], False),
        ("a length of 2^64", [http(SOUND, length=2**64)], False),
        ("a length of 2^63", [http(SOUND, length=2**63)], False),
        ("a length that is a word", [http(SOUND, length="many")], False),
        ("a length too short", [http(SOUND, length=20)], False),
        ("a length of 0", [http(SOUND, length=0)], False),
        ("two lengths", [http(SOUND, "200 OK", "content-length: 5")], False),
        ("a length beside chunks", [http(whole_chunk(SOUND), "200 OK", "transfer-encoding: chunked", length=5)], True),
        ("a chunk of 2^64", [chunked(whole_chunk(SOUND, "10000000000000000"))], False),
        ("a chunk below zero", [chunked(whole_chunk(SOUND, "-1"))], False),
        ("a chunk that is a word", [chunked(whole_chunk(SOUND, "zz"))], False),
        ("a chunk too long", [chunked(whole_chunk(SOUND, "fff"))], False),
        ("a chunk without an end", [chunked(f"{len(SOUND):x}\r\n{SOUND}\r\n")], False),
        ("another coding", [http(SOUND, "200 OK", "transfer-encoding: gzip", length="")], True),
        ("HTTP/0.9", [SOUND.encode()], False),
        ("HTTP/1.0", [http(SOUND).replace(b"1.1", b"1.0", 1)], True),
        ("HTTP/2.0 in words", [http(SOUND).replace(b"1.1", b"2.0", 1)], False),
        ("HTTP/9.9", [http(SOUND).replace(b"1.1", b"9.9", 1)], False),
        ("an alert of TLS", [b"\x15\x03\x01\x00\x02\x02\x28"], False),
        ("a hello of TLS", [b"\x16\x03\x03\x00\x7a\x02\x00\x00\x76\x03\x03" + bytes(200)], False),
        ("a preface of HTTP/2", [b"\0\0\x12\x04\0\0\0\0\0" + bytes(18)], False),
        ("a greeting of SSH", [b"SSH-2.0-OpenSSH_9.6\r\n"], False),
        ("zeros", [bytes(100_000)], False),
        ("a header of letters outside ASCII", [http(ERROR, "500 No", "x-\xe9: \xff\xfe")], False),
        ("a header with a zero", [http(SOUND, "200 OK", "x-a: \0")], False),
        ("a header without a name", [http(SOUND, "200 OK", ": a")], False),
        ("a header that is folded", [http(SOUND, "200 OK", "x-a: a\r\n b")], False),
        ("bare newlines", [http(SOUND).replace(b"\r\n", b"\n")], True),
        ("a second answer behind the first", [http(SOUND) + http(ERROR, "500 No")], True),
        ("a cookie", [http(ERROR, "500 No", "set-cookie: a=b; path=/")], False),
        ("another protocol", [http("", "101 Switching Protocols", "upgrade: h2c", "connection: upgrade")], False),
        ("a demand for a password", [http("", "401 No", 'www-authenticate: Basic realm="a"')], False),
        ("a demand for a proxy's password", [http("", "407 No", 'proxy-authenticate: Basic realm="a"')], False),
        ("gzip that is said", [http(gzip.compress(SOUND.encode()), "200 OK", "content-encoding: gzip")], False),
        ("gzip that is not said", [http(gzip.compress(SOUND.encode()))], False),
        ("gzip that is none", [http(SOUND, "200 OK", "content-encoding: gzip")], True),
        ("a bomb of gzip", [http(gzip.compress(bytes(1 << 28), 9), "200 OK", "content-encoding: gzip")], False),
        ("br that is none", [http(SOUND, "200 OK", "content-encoding: br")], True),
        ("a stream of events", [http(f"data: {SOUND}\n\ndata: [DONE]\n\n", kind="text/event-stream")], False),
        ("a stream of events without end", [http("", length="", kind="text/event-stream"), Pour(b"data: {}\n\n", 0.001)], False),
        ("a stream of remarks without end", [http("", length="", kind="text/event-stream"), Pour(b": wait\n\n", 0.05)], False),
        ("HTML", [http("<html><p>a portal</p>", kind="text/html")], False),
        ("HTML of an error", [http("<html><h1>502</h1>\x1b]0;a\x07", "502 Bad", kind="text/html")], False),
        ("lists in lists", [http("[" * 200_000 + "]" * 200_000)], False),
        ("objects in objects", [http('{"choices":' * 100_000 + "1" + "}" * 100_000)], False),
        ("lists in an error", [http('{"error":' * 100_000, "400 No")], False),
        ("JSON cut off", [http(SOUND[:-30])], False),
        ("JSON and more", [http(SOUND + SOUND)], False),
        ("a mark of byte order", [http(b"\xef\xbb\xbf" + SOUND.encode())], False),
        ("UTF-16", [http(SOUND.encode("utf-16"))], False),
        ("bytes that are no UTF-8", [http(SOUND.encode().replace(b"work", b"\xff\xfe\x80"))], False),
        ("half a letter", [http(SOUND.replace("work", "\\ud800"))], True),
        ("numbers without end", [http('{"choices":' + "9" * 1_000_000 + "}")], False),
        ("a key twice", [http(SOUND[:-1] + ', "choices": []}')], False),
        ("what steers in an answer", [http(said("\x1b[2J\x1b]0;a\x07\u202e\n::error::a\0"))], True),
        ("what steers in an error", [http({"error": {"message": "\x1b[2J\u202e\n::error::a\r\x9b", "code": "\n::error::b"}}, "401 No")], False),
        ("what steers in a reason", [http(ERROR, "401 \x1b[2J")], False),
        ("what steers in a type", [http("a", "200 OK", kind="text/\x1b[2J")], False),
        ("an error that is a list", [http({"error": [1, 2]}, "400 No")], False),
        ("an error in an answer", [http({"error": {"message": "no", "code": 400}})], False),
        ("an error of 10 MB", [http({"error": {"message": "x" * 10_000_000}}, "400 No")], False),
        ("two thousand choices", [http({**said(), "choices": said()["choices"] * 2000})], True),
        ("an unknown end", [http({"choices": [{"message": {"content": "a"}, "finish_reason": "magic"}]})], True),
        ("an end that is a number", [http({"choices": [{"message": {"content": "a"}, "finish_reason": 5}]})], True),
        ("a tool in place of words", [http({"choices": [{"message": {"content": None, "tool_calls": [{}]}, "finish_reason": "tool_calls"}]})], True),
        ("an answer of no words", [http(said(""))], True),
        ("an answer of null", [http(said(None))], True),
        ("a refusal", [http({"choices": [{"message": {"content": None, "refusal": "no"}, "finish_reason": "content_filter"}]})], True),
    )


def per(form, text=KEY):
    return "".join(form.format(b=ord(letter), c=letter) for letter in text)


def b32(text):
    return base64.b32encode(text).decode().rstrip("=")


def b64(text, encode=base64.b64encode):
    return encode(text if isinstance(text, bytes) else text.encode()).decode().rstrip("=")


def encodings():
    """The key in every form that must not pass, by name."""
    key = KEY.encode()
    lines = b64(KEY)
    yield from {
        "plain": KEY, "with its scheme": f"Bearer {KEY}", "upper case": KEY.upper(), "lower case": KEY.lower(), "swapped case": KEY.swapcase(),
        "the first half": KEY[:14], "the second half": KEY[-14:], "the middle": KEY[6:20],
        "percent": per("%{b:02X}"), "percent, lower case": per("%{b:02x}"), "percent twice": per("%25{b:02X}"), "percent three times": per("%2525{b:02x}"),
        "percent of marks": KEY.replace("/", "%2F").replace("+", "%2B").replace("=", "%3D").replace("&", "%26"),
        "hex": per("{b:02x}"), "hex, upper case": per("{b:02X}"), "hex with colons": per("{b:02x}:"), "hex with blanks": per("{b:02x} "), "hex of C": per("0x{b:02x}, "), "hex with dashes": per("{b:02x}-"),
        "hex in lines": per("{b:02x}\n"), "escapes of x": per("\\x{b:02x}"), "escapes of u": per("\\u{b:04x}"), "escapes twice": per("\\\\u{b:04X}"), "octal": per("\\{b:03o}"), "quoted-printable": per("={b:02X}"),
        "decimal entities": per("&#{b};"), "hexadecimal entities": per("&#x{b:x};"), "entities with zeros": per("&#00{b};"), "entities of marks": KEY.replace("&", "&amp;"), "slashes escaped": KEY.replace("/", "\\/"), "all escaped": KEY.replace("+", "\\+").replace("/", "\\/"),
        "mixed": KEY.replace("/", "%2F").replace("+", "\\u002b").replace("&", "&amp;"), "wide letters": per("{c}\\u0000"),
        "base64": b64(KEY), "base64 from 1": b64("x" + KEY), "base64 from 2": b64("xx" + KEY), "base64 of URLs": b64(KEY, base64.urlsafe_b64encode), "base64 of URLs from 1": b64("x" + KEY, base64.urlsafe_b64encode),
        "base64 of a header": b64(f"Bearer {KEY}"), "base64 in lines": f"{lines[:8]}\r\n{lines[8:]}", "base64 twice": b64(b64(KEY)),
        "base32": b32(key), "base32 from 1": b32(b"x" + key), "base32 from 3": b32(b"xxx" + key), "base32 of base64": b32(b64(KEY).encode()),
    }.items()


# Where the server repeats it.
PLACES = {
    "an error": lambda key: http({"error": {"message": f"bad {key}."}}, "400 No"),
    "a code": lambda key: http({"error": {"message": "no", "code": key}}, "500 No"),
    "a refused key": lambda key: http({"error": {"message": f"bad `{key}`"}}, "401 No"),
    "HTML of an error": lambda key: http(f"<pre>{key}</pre>", "500 No", kind="text/html"),
    "HTML in place of an answer": lambda key: http(f"<p>{'x' * 290}{key}", kind="text/html"),
    "an answer": lambda key: http(said(f"The key {key} was read.")),
    "an end": lambda key: http({"choices": [{"message": {"content": "a"}, "finish_reason": key}]}),
    "a type": lambda key: http("a", kind=f"text/plain; key={oneline(key)}"),
    "a time to wait": lambda key: http(ERROR, "429 Wait", f"retry-after: {oneline(key)}"),
    "a redirect": lambda key: http("", "302 Moved", f"location: http://127.0.0.2:ELSEWHERE/{oneline(key)}"),
    "a reason": lambda key: http(ERROR, f"500 {oneline(key)}", f"x-echo: {oneline(key)}"),
}


def oneline(text):
    return text.replace("\r", "").replace("\n", "")


class Server:
    """Does the same about every request of a connection, and remembers what came."""

    def __init__(self, acts, elsewhere):
        self.acts = [act.replace(b"ELSEWHERE", str(elsewhere).encode()) if isinstance(act, bytes) else act for act in acts]
        self.requests = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                stream, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.converse, args=(stream,), daemon=True).start()

    def converse(self, stream):
        with stream:
            stream.settimeout(20)
            try:
                request = b""
                while b"\r\n\r\n" not in request:
                    more = stream.recv(65536)
                    if not more:
                        return
                    request += more
                head, _, body = request.partition(b"\r\n\r\n")
                self.requests.append(head)
                length = next((int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0)
                while len(body) < length:
                    more = stream.recv(65536)
                    if not more:
                        return
                    body += more
                self.act(stream)
            except OSError:
                # A client that goes away in the middle is nothing to a server.
                return

    def act(self, stream):
        for act in self.acts:
            end = time.monotonic() + 15
            if act is RESET:
                stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            elif act is WAIT:
                stream.recv(1)
            elif isinstance(act, Pour):
                while time.monotonic() < end:
                    stream.sendall(act.piece)
                    time.sleep(act.every)
            else:
                stream.sendall(act)

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


def kept(folder):
    """All bytes of a folder, unpacked where they are packed."""
    for path in folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            yield path.name, gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def betrayals(form):
    """What gives the key away: a part of it, or its form as it was sent, also within JSON."""
    pieces = {KEY[3:20], KEY[8:], form[4:-4], json.dumps(form)[5:-5]}
    return {piece.encode() for piece in pieces if len(piece) > 7}


def servers(_, work, share):
    area = Area("servers", "servers that misbehave, or repeat the key: MISBEHAVIOURS ways, FORMS forms in PLACES places")
    home, key = work / "servers", work / "servers-key"
    home.mkdir()
    # Outside the directory that is searched.
    key.write_text(KEY + "\n")
    elsewhere, visits = socket.create_server(("127.0.0.2", 0)), []
    port = elsewhere.getsockname()[1]

    def visited():
        while True:
            stream, _ = elsewhere.accept()
            visits.append(stream.recv(4096))
            stream.close()
    threading.Thread(target=visited, daemon=True).start()
    ways, forms = list(misbehaviours()), list(encodings())
    for word, count in (("MISBEHAVIOURS", len(ways)), ("FORMS", len(forms)), ("PLACES", len(PLACES))):
        area.what = area.what.replace(word, str(count))
    tasks = [(name, acts, answered, KEY) for name, acts, answered in ways]
    tasks += [(f"{name} in {place}", [say(form)], place in ("an answer", "an end"), form) for name, form in forms for place, say in PLACES.items()]

    def one(task):
        name, acts, answered, form = task
        server = Server(acts, port)
        with tempfile.TemporaryDirectory(dir=home) as scratch:
            folder = pathlib.Path(scratch)
            (folder / "suite.toml").write_text(SUITE)
            (folder / "endpoint.toml").write_text(ENDPOINT)
            words = ["run", "suite.toml", "--endpoint", "endpoint.toml", "--base-url", f"http://127.0.0.1:{server.port}/v1", "--api-key-file", str(key), "--out", "out"]
            before = len(visits)
            code, told = proctor(area, words, folder)
            if not any(KEY.encode() in head for head in server.requests):
                area.faults.append(("not asked", f"{name}: {told[-400:].decode(errors='replace')}"))
            if code == 0 and not answered:
                area.faults.append(("took it for an answer", f"{name}: {told[-400:].decode(errors='replace')}"))
            if any(not head.startswith(b"POST /v1/chat/completions ") for head in server.requests) or len(visits) > before:
                area.faults.append(("followed a redirect", name))
            if any(b"\ncookie:" in head.lower() for head in server.requests):
                area.faults.append(("sent a cookie", name))
            for place, data in [("its output", told), *kept(folder)]:
                for piece in betrayals(form):
                    if piece in data:
                        area.faults.append(("shows the key", f"{name}: `{piece.decode()}` in {place}"))
                        break
        server.close()
    # Most of them wait.
    each(tasks if share >= 1 else tasks[:: max(1, round(1 / share))], one, 6)
    elsewhere.close()
    return area
