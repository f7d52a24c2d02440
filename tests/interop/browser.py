"""A headless Chromium, driven through its pipe by the DevTools protocol; nothing but a Chromium is needed."""

import base64
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

LONGEST_ANSWER_SECONDS = 60


def find():
    """The program of a Chromium, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        if shutil.which(name):
            return shutil.which(name)
    return None


class Browser:
    """One page. `problems` are what its console and its policy complain of, `requests` what it loads."""

    def __init__(self, folder, width=1440, height=900):
        """Starts it with a profile of its own in a folder."""
        to_browser, self._to = os.pipe()
        self._from, from_browser = os.pipe()
        home = pathlib.Path(folder) / "profile"

        self._process = subprocess.Popen(
            [
                # Chromium reads commands from 3 and answers on 4.
                *("bash", "-c", f'exec "$@" 3<&{to_browser} 4>&{from_browser}', "bash"),
                find(),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                f"--user-data-dir={home}",
                f"--window-size={width},{height}",
                "--remote-debugging-pipe",
                "about:blank",
            ],
            pass_fds=(to_browser, from_browser),
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(folder)},
        )
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b""
        self._next = 0
        self._session = None
        self.problems = []
        self.requests = []
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(one for one in targets if one["type"] == "page")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self._process.pid, signal.SIGKILL)  # its own group: start_new_session
        self._process.wait()
        os.close(self._to)
        os.close(self._from)

    def _read(self):
        while b"\0" not in self._buffer:
            more = os.read(self._from, 1 << 16)
            if not more:
                raise RuntimeError("the browser has ended")
            self._buffer += more
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def _note(self, message):
        parameters = message.get("params", {})
        if message.get("method") == "Log.entryAdded":
            self.problems.append(parameters["entry"]["text"])
        if message.get("method") == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(parameters["exceptionDetails"])[:500])
        if message.get("method") == "Page.javascriptDialogOpening":
            self.problems.append("a dialog: " + parameters["message"])
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])

    def call(self, method, **parameters):
        """Calls a method of the protocol and gives its result."""
        self._next += 1
        message = {"id": self._next, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._next:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._note(answer)

    def evaluate(self, expression):
        """The value of an expression in the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise RuntimeError(f"{expression}: {found['exceptionDetails']}")
        return found["result"].get("value")

    def open(self, path):
        """Opens a file; milliseconds until its script was done."""
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        for _ in range(LONGEST_ANSWER_SECONDS * 50):
            ready = self.evaluate("document.documentElement ? document.documentElement.dataset.ready : undefined")
            if ready is not None:
                return int(ready)
            time.sleep(0.02)
        raise RuntimeError(f"{path} was never ready")

    def click(self, selector):
        """Clicks in the middle of an element, as a mouse does."""
        place = self.evaluate(
            f"(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
            " return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def type(self, text):
        """Types into what has the focus."""
        self.call("Input.insertText", text=text)

    def scheme(self, name):
        """`light` or `dark`."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def screenshot(self, path):
        """Writes a PNG of what is seen."""
        picture = self.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(picture))
