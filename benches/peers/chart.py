"""The chart of the page: time of a step by length of the session, both axes logarithmic."""

import math
from xml.sax.saxutils import escape

from contestants import CONTESTANTS, SIZES

WIDTH, PANEL, PLOT, TOP, LEFT, GAP = 1200, 350, 330, 110, 70, 28
ROW = 22
TOKENS = {"50k": 50e3, "200k": 200e3, "1M": 1e6}
COLOURS = ("#1b6ca8", "#c2571a", "#2e8540")
PANELS = (
    ("LangChain", "langchain"),
    ("Strands", "strands"),
    ("Agent Framework", "agent-framework"),
)
INK, FAINT = "#222222", "#dddddd"


def series_of(environment, results):
    """Lines of a panel: a colour for each strategy, a mark for who runs it."""
    own = [one for one in CONTESTANTS if one.environment == environment]
    strategies = list(dict.fromkeys(one.mechanism for one in own))
    lines = []
    for one in own:
        colour = COLOURS[strategies.index(one.mechanism)]
        points = {size: results["frameworks"][one.key][size]["ms_per_step"] for size in SIZES}
        lines.append((one.title, "agent" if one.agent else "alone", colour, points))
    for mechanism in strategies:
        pipeline = next(one.pipeline for one in own if one.mechanism == mechanism)
        points = own_ms(results, pipeline)
        colour = COLOURS[strategies.index(mechanism)]
        lines.append((f"Proctor {pipeline}", "proctor", colour, points))
    return lines


def own_ms(results, pipeline):
    costs, sessions = results["proctor"]["pipelines"][pipeline], results["sessions"]
    return {size: 1000 * costs[size]["cell_seconds"] / sessions[size]["steps"] for size in SIZES}


def text(x, y, words, size=15, anchor="start", colour=INK, weight="normal"):
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
        f'fill="{colour}" font-weight="{weight}">{escape(words)}</text>'
    )


def line(x1, y1, x2, y2, colour, width=1):
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'stroke="{colour}" stroke-width="{width}"/>'
    )


def decades(lines):
    values = [value for _, _, _, points in lines for value in points.values()]
    return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))


def mark(kind, x, y, colour):
    shapes = {
        "alone": f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>',
        "agent": f'<path d="M{x:.1f} {y - 6:.1f}l6 11h-12z" fill="{colour}"/>',
        "proctor": f'<rect x="{x - 5:.1f}" y="{y - 5:.1f}" width="10" height="10" '
        f'fill="white" stroke="{colour}" stroke-width="2.5"/>',
    }
    return shapes[kind]


def curve(points, kind, colour):
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    dash = ' stroke-dasharray="7 5"' if kind == "proctor" else ""
    drawn = f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2.5"{dash}/>'
    return [drawn, *(mark(kind, x, y, colour) for x, y in points)]


def axes(left, low, high, y_of, x_of, labelled):
    parts = []
    for power in range(low, high + 1):
        y = y_of(10**power)
        parts.append(line(left, y, left + PANEL, y, FAINT))
        if labelled:
            parts.append(text(left - 10, y + 5, f"{10.0**power:g}", 14, "end"))
    for name, tokens in TOKENS.items():
        x = x_of(tokens)
        parts.append(line(x, TOP, x, TOP + PLOT, FAINT))
        parts.append(text(x, TOP + PLOT + 22, name, 14, "middle"))
    return parts


def panel(number, title, lines, low, high):
    left = LEFT + number * (PANEL + GAP)
    inner, span = 24, math.log10(1e6) - math.log10(50e3)

    def x_of(tokens):
        return left + inner + (PANEL - 2 * inner) * (math.log10(tokens) - math.log10(50e3)) / span

    def y_of(ms):
        return TOP + PLOT * (high - math.log10(ms)) / (high - low)

    parts = [text(left, TOP - 14, title, 18, weight="bold")]
    parts += axes(left, low, high, y_of, x_of, number == 0)
    for at, (name, kind, colour, points) in enumerate(lines):
        parts += curve([(x_of(TOKENS[size]), y_of(points[size])) for size in SIZES], kind, colour)
        y = TOP + PLOT + 58 + at * ROW
        parts.append(mark(kind, left + 10, y - 5, colour))
        parts.append(text(left + 26, y, name, 14))
    return parts


def draw(results):
    panels = [(title, series_of(environment, results)) for title, environment in PANELS]
    low, high = decades([one for _, lines in panels for one in lines])
    height = TOP + PLOT + 50 + ROW * max(len(lines) for _, lines in panels) + 14
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" font-family="DejaVu Sans, Arial, sans-serif">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        text(LEFT, 32, "CPU time of a step in ms, by tokens of the session", 20, weight="bold"),
        text(
            LEFT,
            55,
            "triangle: whole agent. dot: compaction alone. "
            "square, dashed: Proctor, in the colour of the strategy that it stands beside.",
            14,
        ),
    ]
    for number, (title, lines) in enumerate(panels):
        parts += panel(number, title, lines, low, high)
    return "\n".join([*parts, "</svg>"]) + "\n"
