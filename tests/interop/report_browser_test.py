"""The page of `report` in a real browser: filter, sort, open a row, findings, light and dark, 10,000 tensors.

Skipped where there is no Chromium. SAFESTRUCTURES_SCREENSHOTS names a folder for pictures to look at.
"""

import os
import pathlib
import re
import sys
import tempfile
import time

import browser
import numpy as np
import safestructures
from cli_outcomes import REPORT, expect, run
from report_cases import HOSTILE, SCORES, many_culprits, other_values, statistics_runs, suspicious_runs, two_runs, uneven_runs
from safetensors.numpy import save_file

SKIPPED = 77
MOST_DRAWN_ROWS = 120

PATHS = "[...document.querySelectorAll('.row')].map(row => row.firstChild.textContent)"
COUNT = "document.getElementById('count').textContent"


def picture(page, name):
    folder = os.environ.get("SAFESTRUCTURES_SCREENSHOTS")
    if not folder:
        return
    for scheme in ("light", "dark"):
        page.scheme(scheme)
        page.screenshot(pathlib.Path(folder) / f"{name}-{scheme}.png")


def set_filter(page, text):
    page.evaluate("document.getElementById('filter').value = ''; document.getElementById('filter').focus()")
    page.type(text)


def click_head(page, title):
    """Clicks a column's title, and gives what it then says."""
    heads = "[...document.querySelectorAll('#head button')]"
    number = page.evaluate(f"{heads}.findIndex(one => one.textContent.startsWith('{title}')) + 1")
    page.evaluate(f"document.querySelector('#head > :nth-child({number})').scrollIntoView()")
    page.click(f"#head > :nth-child({number}) button")
    return page.evaluate(f"{heads}[{number - 1}].textContent")


def column(page, title):
    head = f"[...document.querySelectorAll('#head button')].findIndex(one => one.textContent.startsWith('{title}'))"
    return page.evaluate(f"[...document.querySelectorAll('.row')].map(row => row.children[{head}].textContent)")


def check_two_runs(page, folder):
    two_runs(folder)
    run(folder, "report", "a", "b", "-o", "two.html")
    page.open(folder / "two.html")
    expect("the title", "a against b 24 differences", page.evaluate("document.getElementById('title').textContent"))
    expect("all rows", ("39 rows", "net.layer0.out"), (page.evaluate(COUNT), page.evaluate(PATHS)[0]))
    expect("the first divergence is marked in the curve", "first divergence: net.layer5.out", page.evaluate("document.querySelector('.first-text').textContent"))

    set_filter(page, "LAYER7")
    expect("a part of a name", ["net.layer7.out"] * 3, page.evaluate(PATHS))
    set_filter(page, "net.layer1?.out")
    expect("a glob", ["net.layer10.out", "net.layer11.out"] * 3, page.evaluate(PATHS))
    set_filter(page, "nothing")
    expect("nothing", ([], "0 of 39 rows"), (page.evaluate(PATHS), page.evaluate(COUNT)))
    set_filter(page, "")
    for choice, value, count in [("step", "1", 13), ("verdict", "bad", 8), ("step", "all", 24), ("verdict", "equal", 15)]:
        page.evaluate(f"(box => {{ box.value = '{value}'; box.dispatchEvent(new Event('change')); }})(document.getElementById('{choice}'))")
        expect(f"{choice} {value}", f"{count} of 39 rows", page.evaluate(COUNT))
    page.evaluate("(box => { box.value = 'all'; box.dispatchEvent(new Event('change')); })(document.getElementById('verdict'))")

    expect("sorted, the largest first", "max abs ↓", click_head(page, "max abs"))
    errors = [float(text.replace("–", "0")) for text in column(page, "max abs")]
    expect("sorted", (sorted(errors, reverse=True), True), (errors, errors[0] > 0))
    expect("sorted, the smallest first", "max abs ↑", click_head(page, "max abs"))
    errors = [float(text.replace("–", "0")) for text in column(page, "max abs")]
    expect("sorted up", sorted(errors), errors)
    expect("the order of the calls", "max abs", click_head(page, "max abs"))
    expect("in order again", "net.layer0.out", page.evaluate(PATHS)[0])

    heading = "document.querySelector('#detail h2').textContent"
    page.click(".first-line .link")
    expect("a link opens the first divergence", "net.layer5.out", page.evaluate(heading))
    expect("its row is marked", "net.layer5.out", page.evaluate("document.querySelector('.row.open.first-divergence').firstChild.textContent"))
    expect("a heat map", [16, 8], page.evaluate("(canvas => [canvas.width, canvas.height])(document.querySelector('#detail canvas'))"))
    red = page.evaluate(
        "[...document.querySelector('#detail canvas').getContext('2d').getImageData(0, 0, 16, 1).data].filter((_, i) => i % 4 === 0)"
    )
    expect("the column that differs is hot", [x == 3 for x in range(16)], [value > 200 for value in red])
    expect("a histogram of both", True, page.evaluate("document.querySelectorAll('.bar-a').length > 3 && document.querySelectorAll('.bar-b').length > 3"))
    said = page.evaluate("document.getElementById('detail').innerText")
    expect("every number is there", True, all(word in said for word in ("cosine distance", "ulp at peak", "rmse", "standard deviation", "0.01000")))
    picture(page, "two")
    for key, name in (("ArrowDown", "net.layer6.out"), ("ArrowUp", "net.layer5.out"), ("ArrowUp", "net.layer4.out")):
        page.evaluate("document.activeElement.blur()")
        page.call("Input.dispatchKeyEvent", type="keyDown", key=key)
        expect(key, name, page.evaluate(heading))
    page.call("Input.dispatchKeyEvent", type="keyDown", key="Escape")
    expect("closed", True, page.evaluate("document.getElementById('detail').hidden"))
    page.click(".row:nth-child(3)")
    expect("a click opens a row", "net.layer2.out", page.evaluate(heading))

    expect("the tree", ["net"], page.evaluate("[...document.querySelectorAll('.node .name')].slice(0, 1).map(one => one.textContent)"))
    page.click(".node .name")
    expect("a node filters", "36 of 39 rows", page.evaluate(COUNT))
    expect("and opens", True, page.evaluate("document.querySelectorAll('.node').length >= 12"))
    page.click("#prefix")
    expect("and is left", "39 rows", page.evaluate(COUNT))
    top = page.evaluate("document.getElementById('chart-plot').getBoundingClientRect().top")
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=700, y=top + 60)
    expect("the curve reads out", True, "net.layer" in page.evaluate("document.getElementById('chart-readout').textContent"))


CULPRITS = "[...document.querySelectorAll('.culprits tr')].slice(1).map(row => [...row.cells].map(cell => cell.textContent))"
HEADING = "document.querySelector('#detail h2').textContent"


CARDS = "[...document.querySelectorAll('.card')].map(one => one.innerText.replace('\\n', ' '))"


def details(page):
    """Of the row that is open the lines of all tables by their first cell, and the texts of suspicions."""
    lines = page.evaluate(
        "[...document.querySelectorAll('#detail tr')].map(row => [...row.cells].slice(0, 2).map(cell => cell.textContent))"
    )
    return dict(reversed([line for line in lines if len(line) == 2]))


def check_findings(page, folder):
    """Where it began, what went in, what is noise, what is suspected; of a hostile name, as text."""
    suspicious_runs(folder)
    run(folder, "report", "ported", "reference", "--noise", "exact", "-o", "findings.html")
    page.open(folder / "findings.html")
    line = "document.querySelector('.first-line').textContent"
    expect("the first divergence", f"first divergence: step 0  call 0  {SCORES}missing scale", page.evaluate(line))
    expect(
        "the culprits",
        [
            ["1.", SCORES, "7.000", "8.76e-8", "7.99e+7 new", f"{SCORES}.input", "missing scale", "2"],
            ["2.", "guessed", "0.09496", "8.86e-8", "1.07e+6 new", "calm (a weaker guess: recorded before it, with a different shape)", "", "1"],
        ],
        page.evaluate(CULPRITS),
    )
    expect("nothing of them is an element", 0, page.evaluate("document.querySelectorAll('img').length"))
    ratios = ["–", "0", "–", "7.99e+7 new", "1", "0.6003"]
    expect("error out over error in", ratios, [x.replace("1.000", "1") for x in column(page, "out/in")[:6]])
    expect("beside the noise", ["0.85x", "0x", "0.85x", "6.8e+7x"], column(page, "noise")[:4])
    expect("what is suspected", {"–", "missing scale"}, set(column(page, "suspected")))
    expect("no growth", False, page.evaluate("document.getElementById('head').textContent.includes('growth')"))
    click_head(page, "out/in")
    sorted_ratios = column(page, "out/in")
    expect("sorted, what has none last", ("7.99e+7 new", ["–"] * 3), (sorted_ratios[0], sorted_ratios[-3:]))

    page.click(".culprits tr:nth-child(3) .link")
    expect("a culprit opens its row", ("guessed", "step 1, call 1"), (page.evaluate(HEADING), page.evaluate("document.querySelector('#detail h2 + div').textContent")))
    said = details(page)
    expect("a guess is said to be one", "a weaker guess: recorded before it, with a different shape", said["how sure"])
    page.click(".culprits tr:nth-child(2) .link")
    said = details(page)
    expected = {
        "input": f"{SCORES}.input", "how sure": "recorded as its input", "error of the input": "8.76e-8",
        "error of the record": "7.000", "out/in": "7.99e+7 new", "makes an error": "yes",
        "difference, relative to the noise allowed": "6.8e+7x, beyond", "allowed multiple of the floor": "3.375", "measured by": "1 further run, in higher precision",
    }
    expect("what went in, and the noise", expected, {key: said.get(key) for key in expected})
    expect(
        "the suspicion",
        ["missing scale a is b times 8, the square root of 64; 100 % of the squared difference"],
        page.evaluate("[...document.querySelectorAll('.suspicion')].map(one => one.textContent)"),
    )
    expect("no object as text", False, page.evaluate("document.body.textContent.includes('[object')"))
    picture(page, "findings")
    page.evaluate("document.querySelector('#detail .link').click()")
    expect("its input opens", f"{SCORES}.input", page.evaluate(HEADING))
    expect("within the noise", "0.85x, within", details(page)["difference, relative to the noise allowed"])


def check_other_values(page, folder):
    """What differs without a number says in what."""
    other_values(folder)
    run(folder, "report", "cats", "dogs", "-o", "others.html")
    page.open(folder / "others.html")
    guess = "a weaker guess: recorded before it, with a different shape"
    expect(
        "an error without a number",
        [["1.", "label", "different value", "0", "new", f"x ({guess})", "", "1"]],
        page.evaluate(CULPRITS),
    )
    page.click(".row:nth-child(4)")
    said = details(page)
    expect("of another shape, behind one with a number", ("different shape", "0.3333"), (said["error of the record"], said["error of the input"]))


def check_statistics(page, folder):
    """What was compared by statistics alone is marked where it stands."""
    statistics_runs(folder)
    run(folder, "report", "few", "many", "-o", "few.html")
    page.open(folder / "few.html")
    expect("an estimate in the table", ["0", "–", "~0.5000"], column(page, "rel L2"))
    expect("and in decibels", ["exact", "–", "~6.021"], column(page, "SNR"))
    expect("counted", True, "by statistics only 1" in page.evaluate(CARDS))
    page.click(".first-line .link")
    badges = "[...document.querySelectorAll('#detail .badge')].map(one => one.textContent)"
    expect("marked in its row", ["different", "by statistics only"], page.evaluate(badges))
    said = details(page)
    expect("the estimates", ("~0.5000 ± 4.4 %", "no", "1.00e+30, 2.00e+30", "0"), (said["relative L2"], said["same hash"], said["maxima"], said["quantile distance"]))
    page.click(".row:nth-child(1)")
    expect("a tensor is not marked", ["equal"], page.evaluate(badges))


def check_pairs(page, folder):
    """A row says how its records were paired where their numbers do not say it, and shows these two."""
    uneven_runs(folder)
    run(folder, "report", "late", "early", "-o", "uneven.html")
    page.open(folder / "uneven.html")
    said = []
    largest = []
    cells = "[...document.querySelectorAll('#detail tr')].map(row => [...row.cells].map(cell => cell.textContent))"
    for number in range(1, page.evaluate("document.querySelectorAll('.row').length") + 1):
        page.click(f".row:nth-child({number})")
        texts = "[...document.querySelectorAll('#detail .faint')].map(one => one.textContent)"
        said.append([text for text in page.evaluate(texts) if text.startswith("paired")])
        largest.append(next(line[1:] for line in page.evaluate(cells) if line[0] == "max"))
    expect("the two that were paired", [["1", "1"], ["2", "2"], ["4", "3"], ["9"]], largest)
    expect("how they are paired", [[], ["paired by its shape, call 1 of b"], ["paired by its shape, call 2 of b"], []], said)


def check_coverage(page, folder):
    """What was not compared is counted at the top; what is zero is not shown."""
    safestructures.save_file({"empty": np.zeros((0, 3)), "x": np.ones(3), "n": 1}, folder / "empty.safetensors")
    run(folder, "report", "empty.safetensors", "empty.safetensors", "--only", "/[en]*", "-o", "empty.html")
    page.open(folder / "empty.html")
    cards = page.evaluate(CARDS)
    expect(
        f"the cards {cards}",
        ["numbers compared 0 of 0", "nothing to compare 1", "other values compared 1", "left out by the filter 1"],
        cards[cards.index("NaN and infinite 0 and 0") + 1 :],
    )


def check_many_culprits(page, folder):
    """However many there are, the table of tensors stays in view."""
    many_culprits(folder, 105)
    run(folder, "report", "wrong", "right", "-o", "culprits.html")
    page.open(folder / "culprits.html")
    culprits = page.evaluate(CULPRITS)
    expect("the largest first", ["net.104", "net.103"], [one[1] for one in culprits[:2]])
    expect("as many as fit", (100, True), (len(culprits), page.evaluate("document.querySelector('.culprits').textContent.endsWith('… 5 layers more')")))
    expect("the table is in view", True, page.evaluate("document.getElementById('body').clientHeight >= 150"))
    expect("an input without error", ("new", "0"), (culprits[0][4], culprits[0][3]))


def check_infinities(page, folder):
    """Nothing is exact where infinities alone differ."""
    save_file({"x": np.array([1, np.inf, 2], np.float32), "y": np.ones(3, np.float32)}, folder / "endless.safetensors")
    save_file({"x": np.array([1, 5, 2], np.float32), "y": np.ones(3, np.float32)}, folder / "ended.safetensors")
    run(folder, "report", "endless.safetensors", "ended.safetensors", "-o", "infinities.html")
    page.open(folder / "infinities.html")
    expect("no decibels beside an infinity", ["–", "exact"], column(page, "SNR"))


def check_files(page, folder):
    """Files have a first divergence and suspicions, and no layers; equal ones have nothing that began."""
    values = np.random.default_rng(0).standard_normal((16, 64)).astype(np.float32)
    save_file({"x": values * 8, "y": values}, folder / "scaled.safetensors")
    save_file({"x": values, "y": values}, folder / "plain.safetensors")
    run(folder, "report", "scaled.safetensors", "plain.safetensors", "-o", "files.html")
    page.open(folder / "files.html")
    expect("where", "first divergence: /xmissing scale", page.evaluate("document.querySelector('.first-line').textContent"))
    expect("no layers", (0, False), (page.evaluate("document.querySelectorAll('.culprits').length"), page.evaluate("document.getElementById('began').textContent.includes('layer')")))
    expect("suspected", ["missing scale", "–"], column(page, "suspected"))
    run(folder, "report", "plain.safetensors", "plain.safetensors", "-o", "equal.html")
    page.open(folder / "equal.html")
    expect("nothing began", True, page.evaluate("document.getElementById('began').hidden"))


def check_one(page, folder):
    run(folder, "report", "b", "-o", "one.html")
    page.open(folder / "one.html")
    page.click(".row")
    picture(page, "one")
    expect("one side", 0, page.evaluate("document.querySelectorAll('.bar-b').length"))
    expect("its statistics", True, "standard deviation" in page.evaluate("document.getElementById('detail').innerText"))


def check_hostile(page, folder):
    names = [name.replace("\x00", "") for name in HOSTILE]
    save_file({name: np.ones(2) for name in names}, folder / "names.safetensors")
    run(folder, "report", "names.safetensors", "-o", "names.html")
    page.open(folder / "names.html")
    shown = page.evaluate(PATHS)
    expect("all names are shown", len(names), len(shown))
    for part in ("<script>alert(1)<", "<!--<script>", "<img src=x onerror=alert(1)>", "line\\u2028paragraph\\u2029", "\\u202eright"):
        expect(f"{part} is text", True, any(part in path.replace("~1", "/").replace("<\\/", "</") for path in shown))
    expect("no element is made of them", [0, 2, 0], page.evaluate("['img', 'script', 'b'].map(tag => document.querySelectorAll(tag).length)"))
    for number in range(1, len(names) + 1):
        page.click(f".row:nth-child({number})")
        expect(f"row {number} opens", shown[number - 1], page.evaluate("document.querySelector('#detail h2').textContent"))
    # The page is closed to scripts that it does not hold.
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.injected = 1'}))")
    expect("an injected script does not run", None, page.evaluate("window.injected"))
    expect("and is told of", True, any("Content Security Policy" in one for one in page.problems))
    page.problems.clear()


def check_damaged(page, folder):
    """A page whose data cannot be unpacked says so."""
    run(folder, "report", "b", "-o", "whole.html")
    text = (folder / "whole.html").read_text()
    (folder / "damaged.html").write_text(re.sub(r'(id="data">)[^<]*', r"\1AAAA", text))
    page.call("Page.navigate", url=(folder / "damaged.html").as_uri())
    for _ in range(500):
        title = page.evaluate("document.querySelector('h1')?.textContent")
        if title:
            break
        time.sleep(0.02)
    picture(page, "damaged")
    expect("it is told of", True, (title or "").endswith("): the file is damaged, or the browser is older than 2023."))
    page.problems.clear()


def check_many(page, folder):
    """10,000 tensors: as many rows as are in view are in the page, and it is there at once."""
    rng = np.random.default_rng(0)
    tensors = {f"layers.{i}.weight": rng.standard_normal(64).astype(np.float32) for i in range(10000)}
    save_file(tensors, folder / "many-b.safetensors")
    save_file({name: tensor + np.float32(1e-3) * (i > 5000) for i, (name, tensor) in enumerate(tensors.items())}, folder / "many-a.safetensors")
    run(folder, "report", "many-a.safetensors", "many-b.safetensors", "-o", "many.html")
    times = [page.open(folder / "many.html") for _ in range(3)]
    print(f"10,000 pairs: ready after {min(times)} ms, {(folder / 'many.html').stat().st_size >> 20} MiB")
    drawn = "document.querySelectorAll('.row').length"
    expect("rows are drawn lazily", True, 0 < page.evaluate(drawn) <= MOST_DRAWN_ROWS)
    expect("all are there", "10,000 rows", page.evaluate(COUNT))
    page.evaluate("document.getElementById('body').scrollTop = 1e9")
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    expect("the last", True, page.evaluate(PATHS)[-1].startswith("/layers/"))
    expect("lazily there too", True, 0 < page.evaluate(drawn) <= MOST_DRAWN_ROWS)
    set_filter(page, "/9999/")
    expect("one of them", ["/layers/9999/weight"], page.evaluate(PATHS))
    picture(page, "many")


def main():
    if browser.find() is None:
        print("skipped: no Chromium was found")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        for check in (check_two_runs, check_findings, check_other_values, check_statistics, check_pairs, check_coverage, check_many_culprits, check_infinities, check_files, check_one,
                      check_hostile, check_damaged, check_many):
            with browser.Browser(folder) as page:
                check(page, folder)
                expect(f"{check.__name__}: no complaints", [], page.problems)
                others = [url for url in page.requests if not url.startswith(folder.as_uri())]
                expect(f"{check.__name__}: nothing is loaded", [], others)
    REPORT.finish()


main()
