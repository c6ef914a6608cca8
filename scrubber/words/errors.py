"""Our exceptions. Their texts name settings and rules, never a value from an event."""


class ScrubberError(Exception):
    """Base of everything the library raises to its user (never from inside a hook)."""


class SettingsError(ScrubberError, ValueError):
    """A setting that cannot be honoured: unknown, misspelt, contradictory, or asking to open what stays closed."""
