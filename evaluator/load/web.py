"""Fetch files of a web server, completely or not at all."""

from __future__ import annotations

import base64
import shutil
import urllib.error
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException, IncompleteRead, InvalidURL
from typing import Any, Final
from urllib.parse import SplitResult, unquote_to_bytes, urlsplit

from ..support.errors import DataError, NothingThereError

_SECONDS: Final = 30
_BLOCK: Final = 4 << 20
_PORTS: Final = {"http": 80, "https": 443}
_AGENT: Final = "User-agent"
_AGAIN: Final = "try again; if it fails again, download the file another way and use the copy"


def download(url: str, display_url: str, headers: Mapping[str, str], written: Any) -> None:
    """Download `url` into `written`; `display_url` is the address without secrets, for messages.

    A user and password before the host are sent as a header. `headers` are sent only to the host of the address, not to another one after
    a redirect. Raises `DataError` if the file cannot be fetched, or ends early.
    """
    parts = urlsplit(url)
    user, found, host = parts.netloc.rpartition("@")
    login = {"Authorization": f"Basic {base64.b64encode(unquote_to_bytes(user)).decode()}"} if found else {}
    try:
        request = urllib.request.Request(parts._replace(netloc=host).geturl(), headers={_AGENT: "receval", **login, **headers})
        with urllib.request.build_opener(_Redirect).open(request, timeout=_SECONDS) as answer:
            shutil.copyfileobj(answer, written, _BLOCK)
            length, received = answer.headers.get("Content-Length", ""), written.tell()
            if length.isdecimal() and "Transfer-Encoding" not in answer.headers and int(length) != received:
                # `read` treats a connection that closes early as the end
                raise DataError(f"{display_url} stopped early: {received:,} of {int(length):,} bytes arrived", _AGAIN)
    except urllib.error.HTTPError as error:
        hint = "the address needs a login, or one with more permissions" if error.code in (401, 403) else "check the address"
        kind = NothingThereError if error.code in (404, 410) else DataError
        raise kind(f"{display_url} cannot be fetched: the server says {error.code} {error.reason}", hint) from None
    except InvalidURL:  # its message may contain a secret
        raise DataError(
            f"{display_url} is not a valid address", "encode spaces and other special characters, for example a space as %20"
        ) from None
    except IncompleteRead:
        raise DataError(f"{display_url} stopped after {written.tell():,} bytes: the server's answer has no end", _AGAIN) from None
    except HTTPException as error:
        raise DataError(
            f"{display_url} cannot be fetched: the server's answer is not HTTP ({type(error).__name__})", "check the port"
        ) from None
    except ValueError:  # its message contains the header, which may be a secret
        hint = "a header must be one line of plain text; check for line ends in it"
        raise DataError(f"{display_url} cannot be requested: the address or a header in storage_options is not valid", hint) from None
    except OSError as error:
        raise DataError(
            f"{display_url} cannot be reached: {getattr(error, 'reason', error)}", "check the address and the connection"
        ) from None


class _Redirect(urllib.request.HTTPRedirectHandler):
    """Follow redirects to http and https only; those to another server without the headers for the first one."""

    def redirect_request(self, req: urllib.request.Request, *arguments: Any) -> urllib.request.Request | None:
        scheme = urlsplit(arguments[-1]).scheme
        if scheme not in _PORTS:
            raise urllib.error.URLError(f"the server sends us to an address with {scheme}:, and redirects go to http and https only")
        follow = super().redirect_request(req, *arguments)
        if follow is not None and _origin(urlsplit(follow.full_url)) != _origin(urlsplit(req.full_url)):
            follow.headers = {name: value for name, value in follow.headers.items() if name == _AGENT}
        return follow


def _origin(address: SplitResult) -> tuple[str, str | None, int | None]:
    return address.scheme, address.hostname, address.port or _PORTS.get(address.scheme)
