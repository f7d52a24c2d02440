"""`report`: the page holds what `stats` and `diff` say, nothing of it as markup, and asks for nothing."""

import base64
import gzip
import hashlib
import html.parser
import json
import pathlib
import re
import subprocess

import numpy as np
from cli_outcomes import CLI, expect, run, run_checks
from report_cases import HOSTILE, SCORES, statistics_runs, suspicious_runs, two_runs, uneven_runs
from safestructures_cpp.recorder import Recorder
from safetensors.numpy import save_file

class Page(html.parser.HTMLParser):
    """The elements of a page, their attributes, and the text of scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.texts = {}
        self.place = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.place = dict(attributes).get("id", tag)

    def handle_endtag(self, tag):
        self.place = None

    def handle_data(self, data):
        if self.place:
            self.texts[self.place] = self.texts.get(self.place, "") + data


def page_of(folder, *args):
    done = run(folder, "report", *args, "-o", "-")
    expect(f"report {args}", (0, ""), (done.returncode, done.stderr))
    page = Page(done.stdout)
    packed = base64.b64decode(page.texts["data"], validate=True)
    return done.stdout, page, json.loads(gzip.decompress(packed))


def check_data(folder):
    """What the page has is what the other commands print."""
    _, _, data = page_of(folder, "model.safetensors")
    expect("statistics", json.loads(run(folder, "stats", "model.safetensors", "--json").stdout), data["a"]["tensors"])
    expect("one alone", (None, None, None, []), tuple(data[key] for key in ("b", "comparison", "worst", "heat_maps")))
    expect("its name", ("model.safetensors", False, []), (data["a"]["name"], data["a"]["recording"], data["a"]["notes"]))
    _, _, data = page_of(folder, "killed")
    expect("notes", ["the recording was not closed, so records may be missing"], data["a"]["notes"])
    first, last = "the recording was not closed, so records may be missing", "3 tensors left out by the filter"
    for options, notes in (
        (["--only", "none"], [first, "only: the glob none matched nothing", last]),
        (["--ignore", "*"], [first, last]),
    ):
        _, _, data = page_of(folder, "killed", *options)
        expect(f"notes of {options}", (notes, []), (data["a"]["notes"], data["a"]["tensors"]))
    rules = pathlib.Path(folder) / "rules"
    rules.mkdir()
    subprocess.run([CLI.parent / "interop" / "recordings", rules], check=True)
    _, _, data = page_of(folder, "rules/closed")
    note = "the recorder left out or thinned records: decoder.sum: 1 filtered of 4 calls"
    expect("notes of the recorder", [note], data["a"]["notes"])
    two_runs(folder)
    _, _, data = page_of(folder, "a", "b")
    expect("the comparison", json.loads(run(folder, "diff", "a", "b", "--json").stdout), data["comparison"])
    for side in ("a", "b"):
        expect(side, json.loads(run(folder, "stats", side, "--json").stdout), data[side]["tensors"])
    rows = data["comparison"]["rows"]
    worst = max((row for row in rows if row["verdict"] == "different"), key=lambda row: row["max_ratio"])
    expect("the worst", worst, rows[data["worst"]])
    _, _, data = page_of(folder, "a", "b", "--only", "net.layer5.*", "--atol", "1")
    expect("filter and tolerance", (3, 3, True), (len(data["comparison"]["rows"]), len(data["b"]["tensors"]), data["comparison"]["equal"]))


def check_filters(folder):
    """Both sides list what was compared, by either name of what has two."""
    folder = pathlib.Path(folder)
    x, y = np.ones(2, np.float32), np.zeros(3, np.float32)
    save_file({"old": x, "same": y}, folder / "a.safetensors")
    save_file({"new": x, "same": y, "more": y}, folder / "b.safetensors")
    for name, names in (("one", ("old", "same")), ("two", ("new", "same", "more"))):
        with Recorder(folder / name) as recorder:
            for step in range(2):
                recorder.step(step)
                for of in names:
                    recorder.record(of, {"x": x, "y": y})
    rename = ("--rename", "old=new")
    for options, a, b in (
        ((), ["old", "same"], ["more", "new", "same"]),
        (("--only", "*new"), ["old"], ["new"]),
        (("--only", "*old"), ["old"], ["new"]),
        (("--only", "*same"), ["same"], ["same"]),
        (("--ignore", "*old"), ["same"], ["more", "same"]),
        (("--ignore", "*new", "--ignore", "*more"), ["same"], ["same"]),
    ):
        _, _, data = page_of(folder, "a.safetensors", "b.safetensors", *rename, *options)
        expect(f"files: {options}", (a, b), tuple(sorted(one["path"].strip("/") for one in data[side]["tensors"]) for side in "ab"))
        # Of a record, a glob of its name is of what it holds where it ends with a *.
        options = [option + "*" if option[0] == "*" else option for option in options]
        _, _, data = page_of(folder, "one", "two", *rename, *options)
        paths = tuple([f"{name}/{part}" for _ in range(2) for name in names for part in "xy"] for names in (a, b))
        found = tuple([one["path"] for one in data[side]["tensors"]] for side in "ab")
        expect(f"recordings: {options}", tuple(map(sorted, paths)), tuple(map(sorted, found)))
    _, _, data = page_of(folder, "one", "two", *rename, "--only", "*/x")
    expect("parts of records", {"old/x", "same/x", "new/x", "more/x"}, {one["path"] for side in "ab" for one in data[side]["tensors"]})


def check_keys(folder):
    """Tensors whose keys have one text are told apart, on either side, as `diff` tells them apart."""
    folder = pathlib.Path(folder)

    def write(name, key, cells):
        tensors = [{"$tensor": "F32", "shape": [2], "data": [0, cell]} for cell in cells]
        text = "(1, 2)" if isinstance(key, dict) else "1"
        (folder / name).write_text(json.dumps({"$dict": [[key, tensors[0]], [text, tensors[1]]]}))

    for key, paths in ((1, ["/1~int", "/1"]), ({"$tuple": [1, 2]}, ["/(1, 2)~tuple", "/(1, 2)"])):
        write("a.json", key, [0, 0])
        write("b.json", key, [3, 5])
        _, _, data = page_of(folder, "a.json", "b.json")
        cells = {data["comparison"]["rows"][one["row"]]["path"]: one["cells"] for one in data["heat_maps"]}
        expect(f"{key}: heat maps", dict(zip(paths, ([0, 3], [0, 5]))), cells)
        for side in "ab":
            expect(f"{key}: {side}", paths, [one["path"] for one in data[side]["tensors"]])
        for renames in ((), ("--rename", "/x=/y")):
            _, _, data = page_of(folder, "a.json", "b.json", *renames, "--only", paths[0])
            listed = [[one["path"] for one in data[side]["tensors"]] for side in "ab"]
            expect(f"{key}: one alone {renames}", [paths[:1], paths[:1]], listed)
    # What has no row of its own, the item of a set and an attribute, does not take another's path.
    for name, x in (("a.json", 1), ("b.json", 2)):
        item, beside, last = ({"$tensor": "F32", "shape": [1], "data": [n]} for n in (7, 8, x))
        (folder / name).write_text(json.dumps({"$dict": [
            ["set", {"$set": [item]}],
            ["noted", {"$list": [5], "$attributes": {"note": beside}}],
            [1, last], ["1", 0],
        ]}))
    _, _, data = page_of(folder, "a.json", "b.json")
    expect("others", ["/set/0", "/noted/note", "/1~int"], [one["path"] for one in data["a"]["tensors"]])
    expect("others: heat maps", [[1]], [one["cells"] for one in data["heat_maps"]])


def check_findings(folder):
    """What the comparison concludes is in the page as `diff` has it, and refers to rows that are there."""
    suspicious_runs(folder)
    _, _, data = page_of(folder, "ported", "reference", "--noise", "exact")
    found = data["comparison"]
    expect("as diff", json.loads(run(folder, "diff", "ported", "reference", "--noise", "exact", "--json").stdout), found)
    rows = found["rows"]
    expect("the culprits", [(SCORES, 2), ("guessed", 1)], [(one["name"], one["calls"]) for one in found["culprits"]])
    expect("their rows", [SCORES, "guessed"], [rows[one["row"]]["path"] for one in found["culprits"]])
    origins = [row["origin"] for row in rows]
    inputs = [None if one["input"] is None else rows[one["input_row"]]["record"]["name"] for one in origins]
    expect("the rows of inputs", [one["input"] for one in origins], inputs)
    expect("evidence", {"none", "other_shape", "same_shape", "recorded"}, {one["evidence"] for one in origins})
    expect("a suspicion", ["missing scale"], [one["fault"] for one in rows[found["culprits"][0]["row"]]["suspicions"]])
    expect("noise", [True] * len(rows), [row["noise"]["precise"] for row in rows])
    statistics_runs(folder)
    _, _, data = page_of(folder, "few", "many")
    (row,) = (row for row in data["comparison"]["rows"] if "statistics" in row)
    expect("statistics alone", ("brief/x", 1), (row["path"], data["comparison"]["coverage"]["statistics"]))


def check_heat_maps(folder):
    """Each cell is the largest difference of its elements, as NumPy finds it."""
    rng = np.random.default_rng(1)
    for shape in ((5,), (), (3, 4), (2, 3, 500), (1000, 7), (1, 1)):
        b = np.asarray(rng.standard_normal(shape))
        a = np.asarray(b + rng.standard_normal(shape) * (rng.random(shape) < 0.3) + 1e-3)
        save_file({"x": a}, pathlib.Path(folder) / "a.safetensors")
        save_file({"x": b}, pathlib.Path(folder) / "b.safetensors")
        (found,) = page_of(folder, "a.safetensors", "b.safetensors")[2]["heat_maps"]
        difference = np.abs(a - b).reshape(-1, shape[-1] if shape else 1)
        rows, columns = min(96, difference.shape[0]), min(192, difference.shape[1])
        cells = np.zeros((rows, columns))
        at = [np.arange(size) * count // size for size, count in zip(difference.shape, (rows, columns))]
        np.maximum.at(cells, np.ix_(*at), difference)
        expect(f"{shape}: cells", (list(difference.shape), rows, columns), (found["shape"], found["rows"], found["columns"]))
        expect(f"{shape}: numbers", True, bool(np.allclose(np.ravel(cells), found["cells"], rtol=5e-3)))
    for dtype in (np.float32, np.complex64, np.int8, np.bool_):
        a = np.array([1, 0, 0, 1]).astype(dtype)
        save_file({"x": a}, pathlib.Path(folder) / "a.safetensors")
        save_file({"x": np.zeros(4, dtype)}, pathlib.Path(folder) / "b.safetensors")
        (found,) = page_of(folder, "a.safetensors", "b.safetensors")[2]["heat_maps"]
        expect(f"{dtype}", [1, 0, 0, 1], found["cells"])
    # Doubles cannot tell these integers apart.
    for a, b, apart in (
        (np.int64([2**60, 5]), np.int64([2**60 + 1, 5]), [1, 0]),
        (np.uint64([2**64 - 1, 0]), np.uint64([2**64 - 4, 0]), [3, 0]),
        (np.uint64([2**63, 1]), np.int64([2**63 - 1, -1]), [1, 2]),
    ):
        save_file({"x": a}, pathlib.Path(folder) / "a.safetensors")
        save_file({"x": b}, pathlib.Path(folder) / "b.safetensors")
        (found,) = page_of(folder, "a.safetensors", "b.safetensors")[2]["heat_maps"]
        expect(f"integers {a} and {b}", apart, found["cells"])
    a = np.array([np.nan, np.inf, np.nan, 1, np.inf, 1.7e308])
    b = np.array([np.nan, np.inf, 1, np.inf, -np.inf, -1.7e308])
    save_file({"x": a}, pathlib.Path(folder) / "a.safetensors")
    save_file({"x": b}, pathlib.Path(folder) / "b.safetensors")
    (found,) = page_of(folder, "a.safetensors", "b.safetensors")[2]["heat_maps"]
    expect("not finite", [0, 0, -1, -1, -1], found["cells"][:5])
    expect("beyond doubles", 1.79e308, found["cells"][5])
    uneven_runs(folder)
    (found,) = page_of(folder, "late", "early")[2]["heat_maps"]
    expect("of the calls that were paired", [0, 0, 1], found["cells"])
    two_runs(folder)
    maps = page_of(folder, "a", "b")[2]["heat_maps"]
    # Layers 5 to 11, which differ in 3 calls each, the records after them in one each, and the first
    # divergence, which is not the worst call of layer 5.
    expect("one for each name", 7 + 3 + 1, len(maps))


def check_hostile(folder):
    """Names never become markup: the page has the same elements whatever they are."""
    save_file({"plain": np.zeros(1)}, pathlib.Path(folder) / "plain.safetensors")
    _, plain, _ = page_of(folder, "plain.safetensors")
    names = [name.replace("\x00", "") for name in HOSTILE]
    save_file({name: np.zeros(1) for name in names}, pathlib.Path(folder) / "names.safetensors")
    (pathlib.Path(folder) / "<script>alert(1)<").mkdir()
    (pathlib.Path(folder) / "<script>alert(1)<" / "x.safetensors").write_bytes(
        (pathlib.Path(folder) / "names.safetensors").read_bytes()
    )
    text, page, data = page_of(folder, "<script>alert(1)<")
    expect("elements", [tag for tag, _ in plain.tags], [tag for tag, _ in page.tags])
    expect("the data are base64 alone", [], re.findall(r"[^A-Za-z0-9+/=]", page.texts["data"]))
    expect("the same page again", text, page_of(folder, "<script>alert(1)<")[0])
    listed = json.loads(run(folder, "ls", "names.safetensors", "--json").stdout)
    expect("names", [row["path"] for row in listed], [row["path"] for row in data["a"]["tensors"]])
    expect("all of them", len(names), len(listed))
    expect("the file's name", "<script>alert(1)<", data["a"]["name"])
    two_runs(folder)
    _, page, data = page_of(folder, "a", "b")
    expect("records: elements", [tag for tag, _ in plain.tags], [tag for tag, _ in page.tags])
    expect("records: names", True, {name + "/x" for name in HOSTILE[:3]} <= {row["path"] for row in data["comparison"]["rows"]})
    done = run(folder, "report", "plain.safetensors", "-o", "out\x1b[2J.html")
    expect("what is told of is harmless", (0, "out\\x1b[2J.html: written, 1 tensor\n"), (done.returncode, done.stdout))


def check_policy(folder):
    """The policy forbids everything but this style and this script, and nothing refers elsewhere."""
    text, page, _ = page_of(folder, "model.safetensors")
    policy = next(attributes["content"] for tag, attributes in page.tags if attributes.get("http-equiv"))
    hashes = [base64.b64encode(hashlib.sha256(page.texts[part].encode()).digest()).decode() for part in ("script", "style")]
    expect(
        "the policy",
        f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}';"
        " base-uri 'none'; form-action 'none'",
        policy,
    )
    expect("one address, of SVG's names", ["http://www.w3.org/2000/svg"], re.findall(r"\w+://[^'\"\s]*", text))
    references = [attributes for _, attributes in page.tags if {"src", "href", "style", "onclick", "onload"} & set(attributes)]
    expect("no reference, no inline handler", [], references)
    expect("no markup is made of text", [], re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(", text))
    again = run(folder, "report", "model.safetensors", "-o", "-").stdout
    expect("the same page each time", text, again)


def check_calls(folder):
    for line, code, message in [
        ("model.safetensors", 2, "--output is required"),
        ("-o x.html", 2, "A is required"),
        ("- - -o x.html", 2, "only one of the inputs can be the standard input."),
        ("none.safetensors -o x.html", 1, "none.safetensors: cannot open the file"),
        ("killed model.safetensors -o x.html", 2, "a file cannot be compared with a recording"),
        ("model.safetensors -o none/x.html", 2, "none/x.html"),
        ("model.safetensors model.safetensors -o x.html --rtol x", 2, "--rtol: expected a number, 0 or larger, found 'x'."),
    ]:
        done = run(folder, "report", *line.split(" "))
        expect(f"report {line}", (code, "", True), (done.returncode, done.stdout, message in done.stderr))
    expect("a failure leaves no file", False, (pathlib.Path(folder) / "x.html").exists())
    with open(pathlib.Path(folder) / "model.safetensors", "rb") as file:
        done = subprocess.run([CLI, "report", "-", "model.safetensors", "-o", "-"], cwd=folder, stdin=file, capture_output=True)
    expect("the standard input", (0, b""), (done.returncode, done.stderr))


run_checks(check_data, check_filters, check_keys, check_findings, check_heat_maps, check_hostile, check_policy, check_calls)
