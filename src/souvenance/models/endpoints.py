"""The use cases of endpoints: added, changed, used for something, removed; keys written, never shown (C2)."""

from __future__ import annotations

import asyncio
import builtins
from collections.abc import Sequence

from souvenance.domain.access import Actor, Route
from souvenance.domain.clock import Clock
from souvenance.domain.endpoint import Endpoint, Reached, Use, checked_base_url, proposed_route
from souvenance.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound
from souvenance.domain.fact import checked_line
from souvenance.domain.vault import clean_name
from souvenance.models.chat import Chat
from souvenance.models.keyring import Keyring
from souvenance.models.trying import Tested, tried
from souvenance.store import endpoints as rows
from souvenance.store import history
from souvenance.store.database import Database, Transaction

LONGEST_KEY = 4000


class Endpoints:
    """A person's endpoints. Models and tokens use them and handle none."""

    def __init__(self, database: Database, clock: Clock, keyring: Keyring) -> None:
        self._database = database
        self._clock = clock
        self._keyring = keyring

    def add(
        self,
        *,
        actor: Actor,
        name: str,
        base_url: str,
        model: str,
        key: str | None = None,
        route: Route | None = None,
        takes_schema: bool = False,
        uses: Sequence[Use] = (),
    ) -> Endpoint:
        """A new endpoint, at the route its address proposes unless one is declared, used for what is said."""
        _require_person(actor)
        url = checked_base_url(base_url)
        called = clean_name(name, what="endpoint's name")
        values: dict[str, object] = {
            "name": called,
            "base_url": url,
            "model": _checked_model(model),
            "sealed_key": self._sealed(key),
            "route": route or proposed_route(url),
            "takes_schema": takes_schema,
        }
        with self._database.write() as tx:
            tx.hold("endpoints", actor.user_id)
            if any(one.endpoint.name == called for one in rows.list_endpoints(tx, user_id=actor.user_id)):
                raise Conflict("You have an endpoint of that name already.", hint="Change that one, or name another.")
            now = self._clock()
            made = rows.add_endpoint(tx, user_id=actor.user_id, at=now, values=values)
            for use in dict.fromkeys(map(Use, uses)):
                if use is Use.EMBEDDINGS:
                    raise Conflict("An endpoint is tested before it embeds.", hint="Add it, test it, then use it.")
                rows.set_use(tx, user_id=actor.user_id, use=use, endpoint_id=made)
            history.record_audit(
                tx,
                actor,
                verb="endpoint.add",
                at=now,
                endpoint=called,
                address=url,
                route=values["route"],
                uses=[*uses],
            )
            return self._named(tx, actor, called).endpoint

    def change(
        self,
        *,
        actor: Actor,
        name: str,
        base_url: str | None = None,
        model: str | None = None,
        key: str | None = None,
        route: Route | None = None,
        takes_schema: bool | None = None,
        dimension: int | None = None,
    ) -> Endpoint:
        """Change what is given; an empty key takes it away. A new address loses the key and proposes its route again,
        unless they are given with it: a key is not sent where it was not meant for."""
        _require_person(actor)
        with self._database.write() as tx:
            found = self._named(tx, actor, name).endpoint
            values: dict[str, object] = {}
            if base_url is not None and (url := checked_base_url(base_url)) != found.base_url:
                values |= {"base_url": url, "route": proposed_route(url), "sealed_key": None, "dimension": None}
            if model is not None and (wanted := _checked_model(model)) != found.model:
                values |= {"model": wanted, "dimension": None}
            if key is not None:
                values["sealed_key"] = self._sealed(key)
            if route is not None:
                values["route"] = Route(route)
            if takes_schema is not None:
                values["takes_schema"] = takes_schema
            if dimension is not None:
                values["dimension"] = dimension
            now = self._clock()
            rows.save_endpoint(tx, user_id=actor.user_id, endpoint_id=found.id, at=now, values=values)
            after = self._named(tx, actor, name).endpoint
            history.record_audit(
                tx,
                actor,
                verb="endpoint.change",
                at=now,
                endpoint=found.name,
                changed=sorted(values),
                address=after.base_url,
                route=after.route,
            )
            return after

    def list(self, *, actor: Actor) -> builtins.list[Endpoint]:
        """The caller's endpoints by name; whether each has a key, never the key."""
        _require_person(actor)
        with self._database.read() as tx:
            return [one.endpoint for one in rows.list_endpoints(tx, user_id=actor.user_id)]

    def use(self, *, actor: Actor, use: Use, name: str | None) -> None:
        """Say which endpoint a use has; None for none."""
        _require_person(actor)
        with self._database.write() as tx:
            chosen = None if name is None else self._named(tx, actor, name).endpoint
            if use is Use.EMBEDDINGS and chosen is not None and chosen.dimension is None:
                raise Conflict(
                    f"It is not known yet how long the vectors of {chosen.name} are.",
                    hint=f"souvenance endpoint test {chosen.name} finds out.",
                )
            rows.set_use(tx, user_id=actor.user_id, use=Use(use), endpoint_id=chosen.id if chosen else None)
            history.record_audit(tx, actor, verb="endpoint.use", at=self._clock(), use=use, endpoint=name)

    def remove(self, *, actor: Actor, name: str) -> None:
        """Remove an endpoint and its key for good."""
        _require_person(actor)
        with self._database.write() as tx:
            found = self._named(tx, actor, name).endpoint
            rows.remove_endpoint(tx, user_id=actor.user_id, endpoint_id=found.id)
            history.record_audit(tx, actor, verb="endpoint.remove", at=self._clock(), endpoint=found.name)

    async def test(self, *, actor: Actor, name: str, chat: Chat) -> Tested:
        """Ask an endpoint for a word, its list of models and a vector, and say what came of each; a vector's length is
        kept. Runs on an event loop; the endpoint's owner only."""
        reached = await asyncio.to_thread(self.named, actor=actor, name=name)
        tested = await tried(chat, reached)
        if tested.dimension is not None and tested.dimension != reached.dimension:
            await asyncio.to_thread(self.change, actor=actor, name=name, dimension=tested.dimension)
        return tested

    # --- for calling them --------------------------------------------------------------------------------------

    def reached(self, *, user_id: int, use: Use) -> Reached | None:
        """The endpoint of a use, ready to be called; None where none is set. Auto asks the one that answers where it
        has none of its own; nothing else borrows one, so that nothing is sent where nobody sent it."""
        with self._database.read() as tx:
            found = rows.endpoint_for(tx, user_id=user_id, use=use)
            if found is None and use is Use.AUTO:
                found = rows.endpoint_for(tx, user_id=user_id, use=Use.ANSWERS)
        return None if found is None else self._opened(found)

    def used_for(self, *, user_id: int, use: Use) -> Endpoint | None:
        """The endpoint a user has for a use, its key left alone."""
        with self._database.read() as tx:
            found = rows.endpoint_for(tx, user_id=user_id, use=use)
        return None if found is None else found.endpoint

    def named(self, *, actor: Actor, name: str) -> Reached:
        """A person's own endpoint, ready to be tried."""
        _require_person(actor)
        with self._database.read() as tx:
            found = self._named(tx, actor, name)
        return self._opened(found)

    def _opened(self, found: rows.Kept) -> Reached:
        one = found.endpoint
        return Reached(
            name=one.name,
            base_url=one.base_url,
            model=one.model,
            key=None if found.sealed_key is None else self._keyring.open(found.sealed_key),
            route=one.route,
            takes_schema=one.takes_schema,
            dimension=one.dimension,
        )

    def _sealed(self, key: str | None) -> str | None:
        text = (key or "").strip()
        if not text:
            return None
        if len(text) > LONGEST_KEY or not text.isascii() or not text.isprintable() or " " in text:
            raise InvalidInput(
                "That is no key: it goes into a header, so it is plain ASCII on one line, without space."
            )
        return self._keyring.seal(text)

    def _named(self, tx: Transaction, actor: Actor, name: str) -> rows.Kept:
        for one in rows.list_endpoints(tx, user_id=actor.user_id):
            if name.strip() == one.endpoint.name:
                return one
        raise NotFound("You have no endpoint of that name.", hint="souvenance endpoint list shows yours.")


def _checked_model(name: str) -> str:
    model = checked_line(name, what="model's name")
    if not model:
        raise InvalidInput("The model's name is empty.", hint="The endpoint lists its models at /models.")
    return model


def _require_person(actor: Actor) -> None:
    if actor.is_model or actor.token_id is not None:
        raise NotAllowed("Only the owner handles endpoints.", hint="Use the panel or the command line.")
