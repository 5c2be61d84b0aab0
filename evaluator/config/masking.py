"""What may be a secret in a data section, before anybody sees it: in addresses, and in options that say how to reach them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ..secrets import HIDDEN

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
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,80}")
"""An option or a header; what is neither may be a value that stands where a name belongs."""
_OWNER: Final = re.compile("^(aws|azure(_storage)?|google)_")
_ALMOST_WEB: Final = re.compile(r"(\s*https?:/*)([^?#;]*@)?([^?#;]*)([?#;].*)?", re.IGNORECASE | re.DOTALL)
"""What was meant as an address of a web server, and perhaps is none."""
_LOGIN: Final = re.compile(r"^(\s*[a-z][a-z0-9+.-]*:/+(?=[^\s/:@]*:)|(?!\s*[a-z][a-z0-9+.-]*:/)(?=[^\s/:@]+:))\S*@", re.IGNORECASE)
"""A user and a password, in front of a bucket or of anything else; the key of a store may hold slashes."""


def masked_path(path: str) -> str:
    """A path, or an address, right or wrong, without its login; one of the web without its query: elsewhere `?` is a part of a glob."""
    if path.lower().startswith(_WEB):
        return _masked_address(path)
    almost = _ALMOST_WEB.fullmatch(path)
    if almost:
        start, user, place, rest = almost.groups()
        return f"{start}{f'{HIDDEN}@' if user else ''}{place}{f'{rest[0]}{HIDDEN}' if rest else ''}"
    return _LOGIN.sub(lambda found: f"{found[1]}{HIDDEN}@", path)


def masked_uri(uri: str) -> str:
    """The address of a database without its user, password and options."""
    return _masked_address(uri)


def masked_options(options: Mapping[str, str]) -> dict[str, str]:
    """The options: addresses without their user and query, other values only if the name is one that is known to be harmless."""
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
