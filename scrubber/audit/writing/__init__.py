"""Writing a recording again as the policy lets it leave: same format, same packing, atomic."""

from __future__ import annotations

from scrubber.audit.writing.applying import Applied, apply

__all__ = ["Applied", "apply"]
