"""A headless Chromium, driven over its debugging pipe: pages are opened, keys pressed, pictures taken."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
"""The browser that is there, if one is."""

_OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--mute-audio")
_WAIT = 30.0  # seconds
_LAUNCH = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"
)


class Browser:
    """One tab. Everything that the page asks of a network is kept in ``asked``, what it logs in ``logged``."""

    def __init__(self, width: int = 1400, height: int = 900) -> None:
        assert CHROMIUM is not None
        self._folder = tempfile.mkdtemp(prefix="webenv-browser-")
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (theirs_in, theirs_out)]
        command = [CHROMIUM, *_OPTIONS, f"--user-data-dir={self._folder}", "--remote-debugging-pipe"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _LAUNCH, *map(str, ends), *command],
            pass_fds=ends,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (theirs_in, theirs_out, *ends):
            os.close(end)
        self._number, self._buffer, self._events = 0, b"", list[dict[str, Any]]()
        self._session = ""
        self.asked: list[str] = []
        self.logged: list[str] = []
        try:
            self._begin(width, height)
        except BaseException:
            self.close()
            raise

    def _begin(self, width: int, height: int) -> None:
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")
        self.resize(width, height)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends it, and removes what it wrote."""
        self._process.kill()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)
        shutil.rmtree(self._folder, ignore_errors=True)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Sends one command, and waits for its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            came = self._receive()
            if came.get("id") == self._number:
                if "error" in came:
                    raise RuntimeError(f"{method}: {came['error']}")
                return dict(came["result"])

    def _receive(self) -> dict[str, Any]:
        until = time.monotonic() + _WAIT
        while b"\0" not in self._buffer:
            if not select.select([self._in], [], [], max(0.0, until - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            block = os.read(self._in, 1 << 16)
            if not block:
                raise RuntimeError("the browser has ended")
            self._buffer += block
        line, _, self._buffer = self._buffer.partition(b"\0")
        came: dict[str, Any] = json.loads(line)
        self._note(came)
        return came

    def _note(self, came: dict[str, Any]) -> None:
        about = came.get("params", {})
        if came.get("method") == "Network.requestWillBeSent":
            self.asked.append(about["request"]["url"])
        elif came.get("method") == "Runtime.exceptionThrown":
            self.logged.append(str(about["exceptionDetails"].get("exception", about["exceptionDetails"])))
        elif came.get("method") == "Log.entryAdded":
            self.logged.append(about["entry"]["text"])
        elif came.get("method") == "Page.javascriptDialogOpening":
            self.logged.append(f"a dialog: {about['message']}")
            self._number += 1
            close = {"id": self._number, "method": "Page.handleJavaScriptDialog", "params": {"accept": False}}
            os.write(self._out, json.dumps({**close, "sessionId": self._session}).encode() + b"\0")

    def resize(self, width: int, height: int, *, dark: bool = False) -> None:
        """Sets the window's size, and the colours that its user prefers."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def open(self, page: Path, address: str = "") -> None:
        """Opens a file at an address within it, and waits until it is drawn."""
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=page.resolve().as_uri() + address)
        self.until("document.querySelector('#main')?.childElementCount > 0 && document.readyState === 'complete'")

    def go(self, address: str) -> None:
        """Follows an address within the page."""
        self.run(f"location.hash = {json.dumps(address)}")
        self.until("document.querySelector('#main').childElementCount > 0")

    def run(self, script: str) -> Any:
        """The value of a script."""
        result = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"])[:500])
        return result["result"].get("value")

    def until(self, script: str) -> None:
        """Waits until a script's value is true."""
        until = time.monotonic() + _WAIT
        while not self.run(script):
            assert time.monotonic() < until, f"never true: {script}"
            time.sleep(0.02)

    def text(self, selector: str = "body") -> str:
        """The text that is shown of an element."""
        return str(self.run(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"))

    def press(self, key: str) -> None:
        """Presses a key."""
        typed = {"text": key} if len(key) == 1 else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, **typed)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key)

    def picture(self, path: Path) -> None:
        """Takes a picture of what is shown."""
        data = self.send("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))
