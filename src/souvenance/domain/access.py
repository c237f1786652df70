"""Who asks: a person or a token, through what, and over which route the answer leaves (A3, V8)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from souvenance.domain.errors import NotAllowed


class Route(StrEnum):
    """Where an answer goes. Everything is cloud until a person declares it local."""

    LOCAL = "local"
    CLOUD = "cloud"


class Source(StrEnum):
    """Through what a fact, note or change came (F1)."""

    PANEL = "panel"
    BOT = "bot"
    AGENT = "agent"
    IMPORT = "import"
    CONSOLIDATION = "consolidation"
    LIBRARY = "library"
    COMMAND_LINE = "cli"
    REST = "rest"


CHAT_MODEL = "chat model"
"""The name under which a model that answers a person in an exchange writes; histories say for whom."""
ASKED_BY = ", for "
"""What stands between that name and the name of the person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """One caller of one use case.

    `vaults` is the token's list of vault ids; None means every vault the user may read. `app` is the id of the
    application a token was made for: only it and the owner read its vault (V9). `is_model` tells a model from
    a person: a model's missing line is retired, a person's is deleted (N2), and a model may write no secret (F8).
    `session_id` is the session of a person who is signed in. `is_asked` tells the model that answers a person in an
    exchange, which reaches what that person reaches, from an agent of its own.
    """

    user_id: int
    source: Source
    route: Route = Route.CLOUD
    token_id: int | None = None
    name: str = ""
    can_write: bool = True
    vaults: frozenset[int] | None = None
    app: str | None = None
    is_model: bool = False
    session_id: int | None = None
    is_asked: bool = False

    def asked_model(self) -> Actor:
        """The model that this caller asks, as who writes what it wants kept: an agent, a bot's model the bot (F1).

        A token, an application's model and a bot go by their own name, a person's model by `CHAT_MODEL`.
        """
        source = self.source if self.source is Source.BOT else Source.AGENT
        is_person = self.token_id is None and not self.is_model and source is Source.AGENT
        return replace(
            self,
            is_model=True,
            source=source,
            name=CHAT_MODEL if is_person else self.name,
            is_asked=self.token_id is None and not self.is_model,
        )

    def require_person(self, what: str) -> None:
        """Refuse a model and a token: `what` (as in "handles tokens") is done by people themselves."""
        if self.is_model or self.token_id is not None:
            raise NotAllowed(f"No token and no model {what}.", hint="Use the panel or the command line.")

    def require_write(self) -> None:
        """Refuse a caller whose token only reads."""
        if not self.can_write:
            raise NotAllowed(
                "This token may only read.", hint="Ask the owner for a token that may write: souvenance token create."
            )
