"""Servers on this machine, for tests and benchmarks: PostgreSQL, and a store of the files of a folder.

    python benchmarks/servers.py FOLDER

answers the requests of S3 clients for the buckets below FOLDER, its folders; it prints its address, and ends with standard input.
"""

from __future__ import annotations

import functools
import http.server
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit
from xml.sax.saxutils import escape

HOST = "127.0.0.1"


class Missing(Exception):
    """A server cannot be started, because something is not installed; the message says what."""


@contextmanager
def postgres(password: str) -> Iterator[str]:
    """Start an empty PostgreSQL for the user bob, yield its address, and end it; raise `Missing` if it cannot be started here."""
    binaries = {name: shutil.which(name) for name in ("initdb", "postgres")}
    if not all(binaries.values()):
        raise Missing("PostgreSQL is not installed")
    owner: dict[str, Any] = {}
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        if "postgres" not in {user.pw_name for user in pwd.getpwall()}:
            raise Missing("PostgreSQL does not run as root, and there is no user postgres")
        owner = {"user": "postgres"}
    with tempfile.TemporaryDirectory(prefix="receval-postgres-") as name:
        folder = Path(name)
        (folder / "password").write_text(password)
        folder.chmod(0o755)
        if owner:
            shutil.chown(folder, "postgres")
            shutil.chown(folder / "password", "postgres")
        login = ["-U", "bob", "--auth=scram-sha-256", "--pwfile", folder / "password"]
        command = [binaries["initdb"], "-D", folder / "data", *login, "--no-sync"]
        subprocess.run(command, check=True, capture_output=True, cwd=folder, **owner)
        with socket.socket() as free:
            free.bind((HOST, 0))
            port = free.getsockname()[1]
        command = [binaries["postgres"], "-D", folder / "data", "-p", str(port), "-k", "", "-c", f"listen_addresses={HOST}"]
        server = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **owner)
        try:
            uri = f"postgresql://bob:{quote(password, safe='')}@{HOST}:{port}/postgres"
            connected(uri).close()
            yield uri
        finally:
            server.terminate()
            server.wait(30)


def connected(uri: str) -> Any:
    """Return a connection to a PostgreSQL that may take a while to start."""
    from adbc_driver_postgresql import dbapi

    for attempt in range(100):
        try:
            return dbapi.connect(uri)
        except dbapi.Error:
            if attempt == 99:
                raise
            time.sleep(0.2)
    raise AssertionError


@contextmanager
def store(folder: Path) -> Iterator[dict[str, str]]:
    """Start a process that serves the folders below `folder` as buckets of S3; yield the options for its clients, and end it."""
    process = subprocess.Popen([sys.executable, __file__, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        endpoint = process.stdout.readline().strip()
        keys = {"aws_access_key_id": "me", "aws_secret_access_key": "hidden"}
        yield {"endpoint_url": endpoint, "allow_http": "true", "region": "us-east-1", **keys}
    finally:
        process.stdin.close()
        process.wait(30)
        process.stdout.close()


class _Buckets(http.server.SimpleHTTPRequestHandler):
    """Answers GET and HEAD of objects, and listings of all keys with a prefix (`list-type=2`)."""

    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # headers and body in one packet, which else wait for each other

    def log_message(self, format: str, *arguments: object) -> None:
        pass

    def do_GET(self) -> None:
        query = parse_qs(urlsplit(self.path).query)
        if "list-type" not in query:
            super().do_GET()
            return
        bucket = Path(self.directory) / unquote(urlsplit(self.path).path).strip("/")
        prefix = query.get("prefix", [""])[0]
        keys = sorted(path.relative_to(bucket).as_posix() for path in bucket.rglob("*") if path.is_file())
        entries = "".join(
            f"<Contents><Key>{escape(key)}</Key><LastModified>2024-01-01T00:00:00.000Z</LastModified>"
            f"<Size>{(bucket / key).stat().st_size}</Size></Contents>"
            for key in keys
            if key.startswith(prefix)
        )
        body = f"<ListBucketResult><IsTruncated>false</IsTruncated>{entries}</ListBucketResult>".encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _serve(folder: str) -> None:
    """Serve until standard input ends."""
    server = http.server.ThreadingHTTPServer((HOST, 0), functools.partial(_Buckets, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://{HOST}:{server.server_port}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    _serve(sys.argv[1])
