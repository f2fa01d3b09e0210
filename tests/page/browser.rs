//! Chromium over a pipe: the few commands of its debugging protocol that the tests need.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use base64::Engine;
use serde_json::{Value, json};
use tempfile::TempDir;

/// How long a command may take before the test fails.
const PATIENCE: Duration = Duration::from_secs(120);

/// Before any page's own script: what the tests listen for.
const LISTENER: &str = "window.__violations = [];
document.addEventListener('securitypolicyviolation',
  (event) => window.__violations.push(`${event.violatedDirective} ${event.blockedURI}`));";

pub struct Browser {
    child: Child,
    commands: ChildStdin,
    messages: Receiver<Value>,
    events: VecDeque<Value>,
    session: String,
    last: u64,
    _profile: TempDir,
}

/// A browser with an empty page, where Chromium is on the PATH; else says that the test
/// is skipped.
pub fn browser() -> Option<Browser> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join("chromium").is_file());
    if !found {
        let _ = writeln!(std::io::stderr(), "skipped: no chromium on the PATH");
        return None;
    }
    Some(Browser::start())
}

impl Browser {
    fn start() -> Browser {
        let profile = tempfile::tempdir().unwrap();
        // The protocol speaks on descriptors 3 and 4; a shell puts our pipes there.
        let script = "exec chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars \
                      --no-first-run --disable-background-networking --remote-debugging-pipe \
                      --user-data-dir=\"$1\" about:blank 3<&0 4>&1 </dev/null >/dev/null 2>&1";
        let mut child = Command::new("sh")
            .args(["-c", script, "sh"])
            .arg(profile.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let commands = child.stdin.take().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        let (send, messages) = channel();
        std::thread::spawn(move || {
            for message in answers.split(0).map_while(Result::ok) {
                let Ok(message) = serde_json::from_slice(&message) else { break };
                if send.send(message).is_err() {
                    break;
                }
            }
        });
        let mut browser = Browser {
            child,
            commands,
            messages,
            events: VecDeque::new(),
            session: String::new(),
            last: 0,
            _profile: profile,
        };
        browser.attach();
        browser
    }

    fn attach(&mut self) {
        let made = self.call("Target.createTarget", &json!({"url": "about:blank"}));
        let target = json!({"targetId": made["targetId"], "flatten": true});
        let attached = self.call("Target.attachToTarget", &target);
        self.session = attached["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.call(&format!("{domain}.enable"), &json!({}));
        }
        self.call("Page.addScriptToEvaluateOnNewDocument", &json!({"source": LISTENER}));
    }

    /// A command of the protocol and its result.
    pub fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.last += 1;
        let mut command = json!({"id": self.last, "method": method, "params": parameters});
        if !self.session.is_empty() {
            command["sessionId"] = Value::from(self.session.clone());
        }
        self.commands.write_all(command.to_string().as_bytes()).unwrap();
        self.commands.write_all(&[0]).unwrap();
        self.commands.flush().unwrap();
        loop {
            let message = self.next();
            if message["id"] != self.last {
                self.events.push_back(message);
                continue;
            }
            assert!(message["error"].is_null(), "{method}: {}", message["error"]);
            return message["result"].clone();
        }
    }

    fn next(&mut self) -> Value {
        let message = self.messages.recv_timeout(PATIENCE).expect("chromium answers");
        if message["method"] == "Page.javascriptDialogOpening" {
            panic!("a dialog opened: {message}");
        }
        message
    }

    /// Opens a file and waits until it is loaded.
    pub fn open(&mut self, file: &Path) {
        self.events.clear();
        let url = format!("file://{}", file.display());
        self.call("Page.navigate", &json!({"url": url}));
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let message = self.next();
            self.events.push_back(message);
        }
        // A story is unpacked, and two frames later what observers draw is drawn.
        self.evaluate("typeof loading === 'undefined' ? 0 : loading");
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))");
    }

    /// The value of an expression in the page; a promise is waited for.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", &asked);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    pub fn text(&mut self, expression: &str) -> String {
        let value = self.evaluate(expression);
        value.as_str().unwrap_or_else(|| panic!("{expression}: {value}")).to_owned()
    }

    /// A key pressed and let go, wherever the focus is.
    pub fn press(&mut self, key: &str, code: u32) {
        for kind in ["rawKeyDown", "keyUp"] {
            let mut event =
                json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code});
            if kind == "rawKeyDown" && key == "Enter" {
                event["type"] = "keyDown".into();
                event["text"] = "\r".into();
            }
            self.call("Input.dispatchKeyEvent", &event);
        }
    }

    /// Words typed where the focus is.
    pub fn write(&mut self, text: &str) {
        self.call("Input.insertText", &json!({"text": text}));
    }

    pub fn size(&mut self, width: u32, height: u32) {
        let metrics =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", &metrics);
    }

    pub fn scheme(&mut self, scheme: &str) {
        let features = json!([
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]);
        self.call("Emulation.setEmulatedMedia", &json!({"features": features}));
    }

    /// A picture of the viewport in the target directory.
    pub fn picture(&mut self, name: &str) {
        let answer = self.call("Page.captureScreenshot", &json!({"format": "png"}));
        let data = answer["data"].as_str().unwrap();
        let bytes = base64::engine::general_purpose::STANDARD.decode(data).unwrap();
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("page-{name}.png"));
        std::fs::write(path, bytes).unwrap();
    }

    /// Everything that the page complained of since it was opened, and every request
    /// beyond the page itself.
    pub fn complaints(&mut self) -> Vec<String> {
        let violations = self.evaluate("window.__violations");
        let violations = violations.as_array().unwrap().iter().map(ToString::to_string);
        let mut found: Vec<String> = violations.collect();
        let mut requests = 0;
        for event in &self.events {
            match event["method"].as_str().unwrap_or_default() {
                "Runtime.exceptionThrown" | "Log.entryAdded" => found.push(event.to_string()),
                "Runtime.consoleAPICalled" if event["params"]["type"] != "log" => {
                    found.push(event.to_string());
                }
                "Network.requestWillBeSent" => requests += 1,
                _ => {}
            }
        }
        if requests > 1 {
            found.push(format!("{requests} requests"));
        }
        found
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
