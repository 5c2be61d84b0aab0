"""What may be a secret in a data section, before anybody sees it: in addresses, and in options that say how to reach them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_ADDRESS: Final = re.compile(r"([a-z][a-z0-9+.-]*://)([^/?#]*@)?([^?#]*)([?#].*)?", re.IGNORECASE | re.DOTALL)
_WEB: Final = ("http://", "https://")
_SECRET: Final = re.compile("auth|cookie|credential|key|password|sas|secret|token", re.IGNORECASE)
"""What the name of an option holds whose value nobody should see, even if it looks like an address."""
_HARMLESS: Final = frozenset(
    (
        "accept", "accept_encoding", "accept_language", "account_name", "allow_http", "allow_invalid_certificates", "bucket", "bucket_name",
        "connect_timeout", "container_name", "default_content_type", "default_region", "disable_tagging", "endpoint", "endpoint_url",
        "http1_only", "http2_keep_alive_interval", "http2_keep_alive_timeout", "http2_keep_alive_while_idle", "http2_max_frame_size",
        "http2_only", "imdsv1_fallback", "max_retries", "metadata_endpoint", "pool_idle_timeout", "pool_max_idle_per_host",
        "randomize_addresses", "read_timeout", "region", "request_payer", "requester_pays", "retry_timeout", "s3_express",
        "skip_signature", "timeout", "unsigned_payload", "use_emulator", "use_fabric_endpoint", "user_agent",
        "virtual_hosted_style_request",
    )
)  # fmt: skip
"""Options whose values say nothing but where and how; in front of them may stand whose they are, as in `aws_region`."""
_OWNER: Final = re.compile("^(aws|azure(_storage)?|google)_")
_HIDDEN: Final = "***"
_USER: Final = re.compile(r"(://)[^/\s]*@")
_OPTIONS: Final = re.compile(r"(://[^\s?\"',}]*\?)[^\s\"',}]*=[^\s\"',}]*")


def masked_path(path: str) -> str:
    """A path, or an address of a web server without its user and query; elsewhere `?` is a part of a glob."""
    return _masked_address(path) if path.lower().startswith(_WEB) else path


def masked_uri(uri: str) -> str:
    """The address of a database without its user, password and options."""
    return _masked_address(uri)


def masked_text(text: str) -> str:
    """A text that may hold addresses, such as an argument of the command line, without their users, passwords and options."""
    return _OPTIONS.sub(rf"\1{_HIDDEN}", _USER.sub(rf"\1{_HIDDEN}@", text))


def masked_options(options: Mapping[str, str]) -> dict[str, str]:
    """The options: addresses without their user and query, other values only if the name is one that is known to be harmless."""
    return {name: _masked_option(name, value) for name, value in options.items()}


def _masked_option(name: str, value: str) -> str:
    harmless = _OWNER.sub("", name.lower().replace("-", "_")) in _HARMLESS
    if "://" in value:
        return _masked_address(value) if harmless or not _SECRET.search(name) else _HIDDEN
    return value if harmless and "@" not in value else _HIDDEN


def _masked_address(address: str) -> str:
    found = _ADDRESS.fullmatch(address)
    if found is None:
        return _HIDDEN
    scheme, user, place, rest = found.groups()
    return f"{scheme}{f'{_HIDDEN}@' if user else ''}{place}{f'{rest[0]}{_HIDDEN}' if rest else ''}"
