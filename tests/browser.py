"""A headless Chromium, controlled through two pipes: Chrome's DevTools protocol without any library."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
_PATIENCE = 60
"""Seconds of silence after which a browser has failed."""
_START = """
import fcntl, os, sys
there, back = (fcntl.fcntl(int(number), fcntl.F_DUPFD, 10) for number in sys.argv[1:3])
os.dup2(there, 3)
os.dup2(back, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""A browser listens at 3 and answers at 4."""


class Browser:
    """One page of a browser. `events` lists its events: requests, console messages, exceptions."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._to, self._from = to_browser, from_browser
        self._rest = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []

    def call(self, method: str, **given: Any) -> dict[str, Any]:
        """Call a method of the protocol, and return its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": given} | ({"sessionId": self._session} if self._session else {})
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def attach(self) -> None:
        """Open a page and listen to its events."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def open(self, path: Path, *, scripts: bool = True) -> None:
        """Open a file, and wait until it is loaded."""
        self.events.clear()
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.call("Page.navigate", url=path.as_uri())
        while not self.named("Page.loadEventFired"):
            self.events.append(self._read())

    def value(self, script: str) -> Any:
        """Return the value of a JavaScript expression; wait if it is a promise."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def named(self, method: str) -> list[dict[str, Any]]:
        """Return the parameters of all events of this name."""
        return [event["params"] for event in self.events if event.get("method") == method]

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            assert select.select([self._from], [], [], _PATIENCE)[0], "the browser says nothing"
            piece = os.read(self._from, 1 << 16)
            assert piece, "the browser has gone"
            self._rest += piece
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """Yield a browser with its own profile in `folder`; the browser ends with the block."""
    assert CHROMIUM is not None
    read_there, write_here = os.pipe()
    read_here, write_there = os.pipe()
    flags = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--remote-debugging-pipe",
        f"--user-data-dir={folder}",
    ]
    command = [sys.executable, "-c", _START, str(read_there), str(write_there), CHROMIUM, *flags]
    process = subprocess.Popen(command, pass_fds=(read_there, write_there), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(read_there)
    os.close(write_there)
    try:
        page = Browser(write_here, read_here)
        page.attach()
        yield page
    finally:
        process.kill()
        process.wait()
        os.close(write_here)
        os.close(read_here)
