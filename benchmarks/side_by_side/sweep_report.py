"""The sweep over tensor sizes as Markdown and as a plot."""

import math

from report import table as markdown_table

ASKED = 1.15
ASKED_OF_TENSOR = 1.0
ASKED_FROM = 16 << 10
MOST_SHOWN = 4.0  # Above it lines would be flat; the table has the figures.
DTYPES = ("f32", "bf16", "f16", "f64")
KINDS = ("vector", "row", "column", "tensor")
KIND_NAMES = {
    "vector": "std::vector",
    "row": "Eigen row-major",
    "column": "Eigen column-major",
    "tensor": "Tensor",
}
STYLE = """
  .back { fill: #ffffff } .text { fill: #24292f } .faint { fill: #57606a }
  .grid { stroke: #d0d7de } .limit { stroke: #cf222e }
  .c0 { stroke: #0969da; fill: #0969da } .c1 { stroke: #bc4c00; fill: #bc4c00 }
  .c2 { stroke: #1a7f37; fill: #1a7f37 } .c3 { stroke: #8250df; fill: #8250df }
  @media (prefers-color-scheme: dark) {
    .back { fill: #0d1117 } .text { fill: #e6edf3 } .faint { fill: #8d96a0 }
    .grid { stroke: #30363d } .limit { stroke: #ff7b72 }
    .c0 { stroke: #58a6ff; fill: #58a6ff } .c1 { stroke: #f0883e; fill: #f0883e }
    .c2 { stroke: #3fb950; fill: #3fb950 } .c3 { stroke: #bc8cff; fill: #bc8cff }
  }
  text { font-family: system-ui, sans-serif; font-size: 12px }
  polyline { fill: none; stroke-width: 2 }
"""


def size_text(size):
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"


def asked_of(name, size):
    """The ratio that is asked for; none for the smallest, where the header decides."""
    if size < ASKED_FROM:
        return None
    return ASKED_OF_TENSOR if name.startswith("load") and name.endswith("tensor") else ASKED


def is_missed(name, size, ratio):
    asked = asked_of(name, size)
    return asked is not None and round(ratio, 2) > asked


def title(name):
    """`save bf16 column` in words."""
    action, dtype, kind = name.split()
    if action == "save":
        order = "column-major" if kind == "column" else "row-major"
        kept = "kept" if dtype == "f32" else "stored as F32"
        return f"save {dtype.upper()} {kept}, {order}"
    kept = "kept" if dtype == "f32" else "from F32"
    return f"load {dtype.upper()} {kept}, {KIND_NAMES[kind]}"


def table(ratios, sizes):
    """A row for each case; what misses what is asked for is bold."""
    rows = []
    for name, of_case in ratios.items():
        cells = []
        for size in sizes:
            ratio = of_case[size][0] if size in of_case else None
            text = "" if ratio is None else f"{ratio:.2f}"
            cells.append(f"**{text}**" if text and is_missed(name, size, ratio) else text)
        rows.append([title(name), *cells])
    return markdown_table(["", *map(size_text, sizes)], rows)


class Panel:
    """One small plot: title, and its lines as (label, {size: ratio})."""

    width, height = 330, 230
    left, right, top, bottom = 40, 10, 42, 58

    def __init__(self, name, lines, asked, x, y):
        self.name, self.lines, self.asked = name, lines, asked
        self.x, self.y = x, y

    def x_of(self, size, sizes):
        low, high = math.log2(sizes[0]), math.log2(sizes[-1])
        span = (high - low) or 1
        room = self.width - self.left - self.right
        return self.x + self.left + (math.log2(size) - low) / span * room

    def y_of(self, ratio, most):
        room = self.height - self.top - self.bottom
        return self.y + self.height - self.bottom - min(ratio, most) / most * room

    def svg(self, sizes, most):
        right = self.x + self.width - self.right
        out = [f'<text class="text" x="{self.x + self.left}" y="{self.y + 18}" font-weight="600">{self.name}</text>']
        for step in range(int(most / 0.5) + 1):
            y = self.y_of(step * 0.5, most)
            out.append(f'<line class="grid" x1="{self.x + self.left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
            out.append(
                f'<text class="faint" x="{self.x + self.left - 6}" y="{y + 4:.1f}" text-anchor="end">{step * 0.5:.1f}</text>'
            )
        for i, size in enumerate(sizes):
            if i % 2 and len(sizes) > 4:
                continue
            out.append(
                f'<text class="faint" x="{self.x_of(size, sizes):.1f}" y="{self.y + self.height - self.bottom + 16}" '
                f'text-anchor="middle" font-size="10">{size_text(size).replace(" ", "")}</text>'
            )
        y = self.y_of(self.asked, most)
        out.append(
            f'<line class="limit" stroke-dasharray="5 4" x1="{self.x + self.left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>'
        )
        for i, (label, line) in enumerate(self.lines):
            points = [(self.x_of(size, sizes), self.y_of(line[size], most), line[size]) for size in sizes if size in line]
            path = " ".join(f"{px:.1f},{py:.1f}" for px, py, _ in points)
            out.append(f'<polyline class="c{i}" points="{path}" style="fill: none"/>')
            for px, py, ratio in points:
                out.append(f'<circle class="c{i}" cx="{px:.1f}" cy="{py:.1f}" r="2.5"/>')
            lx = self.x + self.left + i % 2 * 150
            ly = self.y + self.height - self.bottom + 34 + i // 2 * 16
            out.append(f'<line class="c{i}" stroke-width="3" x1="{lx}" x2="{lx + 16}" y1="{ly - 4}" y2="{ly - 4}"/>')
            out.append(f'<text class="text" x="{lx + 22}" y="{ly}" font-size="11">{label}</text>')
        return "\n".join(out)


def panels(ratios):
    def line(name):
        return {size: found[0] for size, found in ratios.get(name, {}).items()}

    chosen = []
    for kind, order in (("vector", "row-major"), ("column", "column-major")):
        lines = [
            (dtype.upper() + (" kept" if dtype == "f32" else " stored as F32"), line(f"save {dtype} {kind}"))
            for dtype in DTYPES
        ]
        chosen.append((f"save, {order}", lines))
    for dtype in DTYPES:
        lines = [(KIND_NAMES[kind], line(f"load {dtype} {kind}")) for kind in KINDS]
        chosen.append((f"load {dtype.upper()}" + (" kept" if dtype == "f32" else " from F32"), lines))
    return [(name, lines) for name, lines in chosen if any(found for _, found in lines)]


def plot(ratios, sizes):
    """All panels; the ratio 1 is the limit, dashed is what is asked for."""
    shown = panels(ratios)
    columns = min(2, len(shown))
    rows = -(-len(shown) // columns)
    width, height = 20 + columns * (Panel.width + 20), 60 + rows * (Panel.height + 16)
    highest = max(ratio for _, lines in shown for _, found in lines for ratio in found.values())
    most = min(max(math.ceil(highest * 2) / 2, 1.5), MOST_SHOWN)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        f"<style>{STYLE}</style>",
        f'<rect class="back" width="{width}" height="{height}"/>',
        '<text class="text" x="20" y="26" font-size="15" font-weight="600">Time as a ratio to the limit, by the size of one tensor</text>',
        f'<text class="faint" x="20" y="44">512 MiB in all, at most 100,000 tensors. Dashed: what is asked for, {ASKED}. Lower is faster; the top is {most:g} and more.</text>',
    ]
    for i, (name, lines) in enumerate(shown):
        x = 20 + i % columns * (Panel.width + 20)
        y = 56 + i // columns * (Panel.height + 16)
        out.append(Panel(name, lines, ASKED, x, y).svg(sizes, most))
    out.append("</svg>\n")
    return "\n".join(out)


def missed(ratios, sizes):
    found = [
        f"- {title(name)}, {size_text(size)}: {ratios[name][size][0]:.2f}, asked {asked_of(name, size):g}"
        for name in ratios
        for size in sizes
        if size in ratios[name] and is_missed(name, size, ratios[name][size][0])
    ]
    return "\n".join(["Missed:", "", *found]) if found else "Nothing misses what is asked for."


def write(folder, ratios, sizes, description, repetitions):
    text = f"""# Sweep over tensor sizes

Written by `./dev bench sweep`. Square tensors of one size, 512 MiB of F32 in the file in all and at most
100,000 tensors, saved and loaded: the ratio of the median of {repetitions} interleaved repetitions to that of the
system alone with the same bytes in blocks of that size, which lie where the same allocator puts them.
For saving that is fallocate and writev; for loading, an allocation for each block, huge pages advised
as far as they fit, and reading the file into it. Where a dtype is converted the limit reads the bytes
of the file and writes those of the target. `Tensor` is loaded by `Access::memory`.

Asked: at most {ASKED} from 16 KiB on, and {ASKED_OF_TENSOR:g} for loading into `Tensor`; what misses is bold.

![The table as a plot](sweep.svg)

{table(ratios, sizes)}

{missed(ratios, sizes)}

{markdown_table(["", "machine"], [[name, value] for name, value in description])}
"""
    (folder / "SWEEP.md").write_text(text)
    (folder / "sweep.svg").write_text(plot(ratios, sizes))
