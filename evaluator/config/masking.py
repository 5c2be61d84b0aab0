"""Mask secrets in paths, in addresses of databases, and in options of stores."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ..support.patterns import regex
from ..support.secrets import HIDDEN
from ..syntax.short_names import is_on_web

_ADDRESS: Final = regex(r"([a-z][a-z0-9+.-]*://)([^/?#]*@)?([^?#]*)([?#].*)?", re.IGNORECASE | re.DOTALL)
_SECRET: Final = regex("auth|cookie|credential|key|password|sas|secret|token", re.IGNORECASE)
"""Names of options whose values are secret, even if they look like an address."""
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
"""Options whose values are not secret; a prefix may name their owner, as in `aws_region`."""
_NAME: Final = regex(r"[A-Za-z0-9_.-]{1,80}")
"""The name of an option or a header; any other text may be a misplaced secret."""
_OWNER: Final = regex("^(aws|azure(_storage)?|google)_")
_ALMOST_WEB: Final = regex(r"(\s*https?:/*)([^?#;]*@)?([^?#;]*)([?#;].*)?", re.IGNORECASE | re.DOTALL)
"""An address of a web server, perhaps mistyped."""
_LOGIN: Final = regex(r"^(\s*[a-z][a-z0-9+.-]*:/+(?=[^\s/:@]*:)|(?!\s*[a-z][a-z0-9+.-]*:/)(?=[^\s/:@]+:))\S*@", re.IGNORECASE)
"""A user and a password before a bucket or another place; the key of a store may contain slashes."""


def masked_path(path: str) -> str:
    """Mask the login of a path or an address, also a mistyped one, and the query of a web address (elsewhere `?` belongs to a glob)."""
    if is_on_web(path):
        return _masked_address(path)
    almost = _ALMOST_WEB.fullmatch(path)
    if almost:
        start, user, place, rest = almost.groups()
        return f"{start}{f'{HIDDEN}@' if user else ''}{place}{f'{rest[0]}{HIDDEN}' if rest else ''}"
    return _LOGIN.sub(lambda found: f"{found[1]}{HIDDEN}@", path)


def masked_uri(uri: str) -> str:
    """Mask the user, password and options of the address of a database."""
    return _masked_address(uri)


def masked_options(options: Mapping[str, str]) -> dict[str, str]:
    """Mask users and queries in addresses, and the values of options that are not known to be harmless."""
    return {name if _NAME.fullmatch(name) else HIDDEN: _masked_option(name, value) for name, value in options.items()}


def _masked_option(name: str, value: str) -> str:
    harmless = _OWNER.sub("", name.lower().replace("-", "_")) in _HARMLESS
    if "://" in value:
        return _masked_address(value) if harmless or not _SECRET.search(name) else HIDDEN
    return value if harmless and "@" not in value else HIDDEN


def _masked_address(address: str) -> str:
    found = _ADDRESS.fullmatch(address)
    if found is None:
        return HIDDEN
    scheme, user, place, rest = found.groups()
    return f"{scheme}{f'{HIDDEN}@' if user else ''}{place}{f'{rest[0]}{HIDDEN}' if rest else ''}"
