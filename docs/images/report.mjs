// Makes report.png: the first screen of the example report, with numbers.
// node docs/images/report.mjs   (needs node and chromium)
// The committed picture was then reduced to a palette of 200 colours.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const file = (path) => fileURLToPath(new URL(path, import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "report-"));

/// Runs in the page: puts each number beside what it stands for, where no figure is.
function annotate() {
  const end = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect();
  };
  const one = (selector) => document.querySelector(selector);
  const behind = ({ right, top, height }) => [right + 20, top + height / 2];
  const corner = ({ right, top }) => [right - 22, top + 20];
  const tiles = [...document.querySelectorAll(".tile")].map((tile) => tile.getBoundingClientRect());
  const places = [
    behind(end(one("#top > p"))),
    ...tiles.map(corner),
    behind(end(one("#answer-1 th button"))),
    behind(end(one("#top .tools"))),
    behind(end(one("#top .notes li"))),
    corner(one("#figure-prices").getBoundingClientRect()),
    behind(end(one("nav summary"))),
  ];
  places.forEach(([x, y], place) => {
    const circle = document.createElement("b");
    circle.textContent = place + 1;
    circle.style.cssText = `position:absolute;left:${x - 12}px;top:${y - 12}px;width:24px;height:24px;
      border-radius:50%;background:#8b1a89;color:#fff;font:700 14px/24px sans-serif;text-align:center`;
    document.body.append(circle);
  });
}

// The page admits no script but its own, so the copy goes without its policy.
const page = readFileSync(file("../../reports/example/report.html"), "utf8")
  .replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "")
  .replace(/<\/body>\s*<\/html>\s*$/, `<script>(${annotate})()</script></body></html>`);
writeFileSync(join(directory, "report.html"), page);
execFileSync("chromium", [
  "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1280,858",
  "--force-device-scale-factor=1.5", `--user-data-dir=${join(directory, "profile")}`,
  `--screenshot=${file("report.png")}`, `file://${join(directory, "report.html")}`,
], { stdio: "ignore" });
rmSync(directory, { recursive: true });
