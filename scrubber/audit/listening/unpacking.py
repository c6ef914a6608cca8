"""A request's body, unpacked: every encoding that PostHog's Python SDK can send, and those of its other SDKs.

Pure, and bounded: nothing here grows beyond `MOST_BYTES`, whatever a body claims to hold. `gzip` is what `/batch/` may
have (`posthog.request`), `gzip`, zlib's `deflate` and `zstd` what capture mode v1 may have (`posthog.capture_v1`);
browsers send gzip under `?compression=gzip-js`, base64 in a form field `data`, and proxies brotli.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from urllib.parse import parse_qs

from scrubber.audit.reading.packers import DECODERS, Decoder, Errors, packed_by

MOST_BYTES = 20 * 1024 * 1024
"""The largest body, packed or not: PostHog's own ingestion takes 20 MiB, and the SDK stays below 13."""
_MOST_MEMBERS = 8
"""gzip members of one body; an SDK writes one. Each costs a copy of the rest."""
_MOST_ENCODINGS = 3
_MOST_FIELDS = 32

TOO_LARGE = "a body of more than 20 MiB"
BROKEN = "a body that does not unpack as it says"
UNKNOWN_ENCODING = "a body in an encoding that PostHog does not read"
NO_LZ64 = "a body compressed as lz64, which is not read"


class BodyError(Exception):
    """A body that cannot be read. `reason` is a constant sentence, `status` the HTTP status of the answer."""

    def __init__(self, reason: str, status: int = 400) -> None:
        self.reason = reason
        self.status = status
        super().__init__(reason)


def unpack(body: bytes, encoding: str = "", content_type: str = "", compression: str = "") -> bytes:
    """The text in a body.

    encoding and content_type: the request's headers of those names, or empty. compression: the query parameter that
    posthog-js sets. Raises `BodyError`.
    """
    names = [name.strip().lower() for name in encoding.split(",") if name.strip()]
    if len(names) > _MOST_ENCODINGS:
        raise BodyError(UNKNOWN_ENCODING, 415)
    for name in reversed(names):
        body = _decode(name, body)
    if compression.lower() in ("lz64", "lz-string"):
        raise BodyError(NO_LZ64, 415)
    # A form is told by its only field too, and what says that it is one may be JSON: curl says so of all it posts.
    is_form = content_type.lower().startswith("application/x-www-form-urlencoded") and body[:1] not in (b"{", b"[")
    if is_form or body.startswith(b"data="):
        body = _form(body)
    elif compression.lower() == "base64":
        body = _base64(body)
    # Told by content too: a browser cannot always set the header.
    packed = packed_by(body[:8])
    return _inflate(body, DECODERS[packed]) if packed else body


def _decode(name: str, body: bytes) -> bytes:
    decoder = _NAMES.get(name)
    if decoder is None:
        raise BodyError(UNKNOWN_ENCODING, 415)
    return _inflate(body, DECODERS[decoder]) if decoder and body else body


def _inflate(body: bytes, make: Callable[[], Decoder]) -> bytes:
    """What is in a packed body, member after member."""
    out = bytearray()
    for _ in range(_MOST_MEMBERS):
        member = make()
        data = body
        while not member.eof:
            try:
                got = member.decompress(data, MOST_BYTES + 1 - len(out))
            except Errors:
                raise BodyError(BROKEN) from None
            out += got
            if len(out) > MOST_BYTES:
                raise BodyError(TOO_LARGE, 413)
            if not got and not data and not member.eof:
                raise BodyError(BROKEN)  # all is read, and it wants more
            data = b""
        body = member.unused_data
        if not body:
            return bytes(out)
    raise BodyError(BROKEN)


def _form(body: bytes) -> bytes:
    """The field `data` of a form: JSON, or base64 of what `unpack` looks at next."""
    try:
        fields = parse_qs(body.decode("utf-8"), max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise BodyError(BROKEN) from None
    data: Sequence[str] = fields.get("data", ())
    if not data:
        raise BodyError("a form without the field data")
    return data[0].encode("utf-8", "replace") if data[0][:1] in ("{", "[") else _base64(data[0].encode())


def _base64(body: bytes) -> bytes:
    # A form turns + into a space.
    text = body.strip().replace(b" ", b"+")
    try:
        return base64.b64decode(text + b"=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise BodyError(BROKEN) from None


_NAMES = {"identity": "", "gzip": "gzip", "x-gzip": "gzip", "deflate": "deflate", "zstd": "zstd", "br": "brotli"}
"""The decoder for each name that `Content-Encoding` may say."""
