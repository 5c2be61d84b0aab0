"""Odd behaviour of web servers while a file is fetched: broken answers, redirects, logins. Servers are started here."""

from __future__ import annotations

import base64
import http.server
import threading
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from receval.support.errors import DataError

from tests.load.conftest import EXPECTED, LISTS

TEXT = ("user,item,score\n" + "".join(f"{user},{item},{score}\n" for user, item, score in LISTS)).encode()


class Odd(http.server.BaseHTTPRequestHandler):
    """Answers as the path says, and keeps the headers of every request."""

    protocol_version = "HTTP/1.1"
    seen: list[tuple[str, dict[str, str]]]
    other = ""

    def log_message(self, format: str, *arguments: object) -> None:
        pass

    def do_GET(self) -> None:
        self.seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
        self.close_connection = True
        getattr(self, self.path.split("/")[1])()

    def whole(self) -> None:
        self.send(200, TEXT, {"Content-Length": len(TEXT)})

    def cut(self) -> None:
        self.send(200, TEXT[:-8], {"Content-Length": len(TEXT)})

    def unannounced(self) -> None:
        self.send(200, TEXT, {})

    def chunked(self) -> None:
        self.send(200, b"%x\r\n%s\r\n0\r\n\r\n" % (len(TEXT), TEXT), {"Transfer-Encoding": "chunked"})

    def chunk(self) -> None:
        self.send(200, b"%x\r\n%s" % (len(TEXT), TEXT[:-8]), {"Transfer-Encoding": "chunked"})

    def nonsense(self) -> None:
        self.wfile.write(b"nothing of HTTP\r\n\r\n")

    def here(self) -> None:
        self.send(302, b"", {"Location": "/whole/l.csv", "Content-Length": 0})

    def elsewhere(self) -> None:
        self.send(302, b"", {"Location": f"{self.other}/whole/l.csv", "Content-Length": 0})

    def back(self) -> None:
        self.send(302, b"", {"Location": f"{self.other}/elsewhere/l.csv", "Content-Length": 0})

    def strange(self) -> None:
        self.send(302, b"", {"Location": self.path.split("/", 2)[2].replace("_", "/"), "Content-Length": 0})

    def send(self, status: int, body: bytes, headers: dict[str, object]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def servers() -> Iterator[list[type[Odd]]]:
    """Yield two servers that know each other's addresses; `other` of one is the address of the next."""
    kinds = [type("One", (Odd,), {"seen": []}), type("Other", (Odd,), {"seen": []})]
    with ExitStack() as stack:
        ports = []
        for kind in kinds:
            server = stack.enter_context(http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind))
            threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
            stack.callback(server.shutdown)
            ports.append(server.server_port)
        kinds[1].other, kinds[0].other = (f"http://127.0.0.1:{port}" for port in ports)
        yield kinds


@pytest.fixture
def web(servers: list[type[Odd]]) -> str:
    """Return the address of the first server."""
    return servers[1].other


@pytest.mark.parametrize("way", ["whole", "unannounced", "chunked", "here", "elsewhere", "back"])
def test_a_complete_answer_is_read(way, web, evaluate_lists):
    assert evaluate_lists(f"{web}/{way}/l.csv") == EXPECTED


def test_an_answer_that_breaks_off_is_refused(web, evaluate_lists):
    with pytest.raises(DataError, match=rf"cut/l\.csv stopped early: {len(TEXT) - 8} of {len(TEXT)} bytes arrived"):
        evaluate_lists(f"{web}/cut/l.csv")


def test_an_answer_without_an_end_is_refused(web, evaluate_lists):
    with pytest.raises(DataError, match=r"chunk/l\.csv stopped after [0-9]+ bytes: the server's answer has no end"):
        evaluate_lists(f"{web}/chunk/l.csv")


def test_an_answer_that_is_not_http_is_refused(web, evaluate_lists):
    with pytest.raises(DataError, match=r"nonsense/l\.csv cannot be fetched: the server's answer is not HTTP"):
        evaluate_lists(f"{web}/nonsense/l.csv")


def test_an_answer_that_breaks_off_ends_the_program_with_one_sentence(web, receval, write):
    write("test.csv", "user,item\n1,10\n")
    evaluation = "{convention: receval, metrics: [MRR]}"
    config = f"data: {{test: test.csv, recommendations: {{m: '{web}/chunk/l.csv?key=s3cr3t'}}}}\nevaluation: {evaluation}\n"
    code, _, err = receval("run", write("config.yaml", config))
    assert code == 3
    assert err.startswith("receval: data.recommendations.m: ")
    assert "Traceback" not in err
    assert "s3cr3t" not in err


@pytest.mark.parametrize(("way", "told"), [("here", True), ("elsewhere", False), ("back", False)])
def test_headers_go_to_the_host_of_the_address_only(way, told, web, servers, evaluate_lists):
    headers = {"Authorization": "Bearer token", "x-api-key": "s3cr3t"}
    assert evaluate_lists({"path": f"{web}/{way}/l.csv", "storage_options": headers}) == EXPECTED
    (_, first), *_, (path, last) = servers[0].seen + servers[1].seen if way == "elsewhere" else servers[0].seen
    assert (first["authorization"], first["x-api-key"]) == ("Bearer token", "s3cr3t")
    assert path == "/whole/l.csv"
    assert ("authorization" in last, "x-api-key" in last) == (told, told)
    assert last["user-agent"] == "receval"
    assert all("authorization" not in headers for _, headers in servers[1].seen)


def test_a_user_in_the_address_is_sent_as_a_login(web, servers, evaluate_lists):
    assert evaluate_lists(web.replace("://", "://me:p%40ss@") + "/elsewhere/l.csv") == EXPECTED
    (_, first), (_, last) = servers[0].seen + servers[1].seen
    assert first["authorization"] == "Basic " + base64.b64encode(b"me:p@ss").decode()
    assert "authorization" not in last


def test_an_invalid_address_is_refused_without_showing_its_secrets(web, evaluate_lists):
    with pytest.raises(DataError, match="is not a valid address") as caught:
        evaluate_lists(f"{web}/whole/l.csv?key=s3cr3t and more")
    assert "s3cr3t" not in str(caught.value)


@pytest.mark.parametrize("address", ["file:___etc_passwd", "ftp:__127.0.0.1_l.csv", "data:text_csv,user", "FTP:__127.0.0.1_l.csv"])
def test_a_redirect_to_anything_but_http_is_refused(address, servers, evaluate_lists):
    with pytest.raises(DataError, match=r"cannot be (reached|fetched): .*(redirects go to http and https only|Redirection to url)"):
        evaluate_lists({"path": f"{servers[1].other}/strange/{address}", "format": "csv"})
