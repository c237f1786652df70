"""Every refusal a caller can meet, with a code that interfaces map once and a hint that says the way out."""

from __future__ import annotations

from typing import Any, ClassVar


class SouvenanceError(Exception):
    """A refusal with a stable `code`, a message for people, a `hint` naming the way out, and details for programs.

    Messages never hold the content of a memory that the caller may not read.
    """

    code: ClassVar[str] = "error"

    def __init__(self, message: str, *, hint: str = "", **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details = details

    def as_dict(self) -> dict[str, Any]:
        """The error as an interface sends it: code, message, and hint and details where there are any."""
        shown: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.hint:
            shown["hint"] = self.hint
        if self.details:
            shown["details"] = self.details
        return shown

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class InvalidInput(SouvenanceError):
    """What was given cannot be stored or asked: wrong type, too long, out of range, unreadable."""

    code = "invalid_input"


class TooLarge(InvalidInput):
    """The given text is over the documented size."""

    code = "too_large"


class SecretRefused(InvalidInput):
    """A model tried to write what looks like a secret (F8)."""

    code = "secret_refused"


class NotFound(SouvenanceError):
    """Nothing with that name that this caller may see; says the same whether it exists elsewhere or not."""

    code = "not_found"


class NotAllowed(SouvenanceError):
    """The caller sees the thing but may not do this to it."""

    code = "not_allowed"


class NotAuthenticated(SouvenanceError):
    """No caller, or a token that is unknown or revoked."""

    code = "not_authenticated"


class Withheld(SouvenanceError):
    """The content stands in a protected vault and the caller's route is cloud (V8)."""

    code = "withheld"


class Conflict(SouvenanceError):
    """The thing is not in the state the request supposed: already there, already retired."""

    code = "conflict"


class StaleVersion(Conflict):
    """The caller read an older version than the one in force; nothing was written."""

    code = "stale_version"


class StaleProposal(Conflict):
    """A fact of the proposal was rewritten, retired, deleted, moved or erased since; nothing was applied (T5)."""

    code = "stale_proposal"


class AmbiguousEdit(Conflict):
    """An edit that could mean two things; nothing was written (N2)."""

    code = "ambiguous_edit"


class AnswerStopped(Conflict):
    """Somebody stopped the answer while it was made; what was said by then is kept (C2)."""

    code = "stopped"


class StoreUnavailable(SouvenanceError):
    """The database cannot be used now: locked, read-only, full, unreachable."""

    code = "store_unavailable"


class StoreDamaged(StoreUnavailable):
    """The database file is not readable as one."""

    code = "store_damaged"


class StoreTooNew(StoreUnavailable):
    """The database was written by a newer Souvenance than this one."""

    code = "store_too_new"


class EmbedderUnavailable(SouvenanceError):
    """No vector can be made now; words still answer."""

    code = "embedder_unavailable"


class ModelUnavailable(SouvenanceError):
    """A model's endpoint cannot be reached, refuses, or answers what is no reply."""

    code = "model_unavailable"


class BrokenOff(SouvenanceError):
    """The process that answered ended in the middle of it (C1)."""

    code = "broken_off"


class NoModel(SouvenanceError):
    """No endpoint is set for this use."""

    code = "no_model"


class CapReached(SouvenanceError):
    """A vault's tokens of the day, or a member's questions of the hour, are used up (C6)."""

    code = "cap_reached"


class TooManyAtOnce(SouvenanceError):
    """As many answers are under way for one caller as may be at once; `retry_after` seconds are a fair wait (C6)."""

    code = "too_many_at_once"


class TooManyAttempts(SouvenanceError):
    """Too many passwords were tried, for one account or from one address."""

    code = "too_many_attempts"
