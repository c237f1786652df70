"""What a change of model leaves behind: vectors that nothing compares any more, removed once the new ones are there.

A process says which model it works with by a lease, so that two that were configured differently on one store do not
keep removing each other's vectors: what a living process uses stays.
"""

from __future__ import annotations

import threading

from souvenance.domain.clock import Clock
from souvenance.store import backlog, claims, vectors
from souvenance.store.database import Database
from souvenance.store.vector_index.postgresql import index_work, keep_indexes

IN_USE = "model:"
IN_USE_SECONDS = 900.0
RENEW_AFTER = 300.0
_TIDYING = "tidy:vectors"
_TIDYING_SECONDS = 600.0
_AT_ONCE = 1000
CHANGES_KEPT = 50_000
"""Changes kept in the log that in-process indexes follow; one further behind loads its vault again."""


def in_use_name(model: int, holder: str) -> str:
    """The lease by which one process says that it uses a model."""
    return f"{IN_USE}{model}:{holder}"


def tidy(database: Database, *, model: int, dimension: int, clock: Clock, holder: str, stop: threading.Event) -> None:
    """Remove vectors of models no longer in use, keep the store's own indexes, shorten the log.

    To be called when nothing waits. Short transactions; interrupted, it goes on where it was. One process does it at a
    time; the others return at once.
    """
    with database.read() as tx:
        used = {int(name.split(":")[1]) for name in claims.held(tx, prefix=IN_USE, at=clock())} | {model}
        old = [one for one in vectors.models_kept(tx) if one not in used]
        long_log = vectors.count_changes(tx) > 2 * CHANGES_KEPT
        vault_ids = backlog.every_vault(tx)
        indexes = index_work(tx, model=model, dimension=dimension)
    if not (old or long_log or indexes):
        return
    with database.write() as tx:
        at = clock()
        if not claims.claim(tx, name=_TIDYING, holder=holder, seconds=_TIDYING_SECONDS, at=at):
            return
        claims.sweep(tx, prefixes=("embed:", IN_USE), at=at)
    try:
        for one in old:
            _drop(database, one, vault_ids, stop)
        if long_log:
            with database.write() as tx:
                vectors.prune_changes(tx, keep=CHANGES_KEPT)
        if indexes:
            keep_indexes(database, indexes, model=model, dimension=dimension)
    finally:
        with database.write() as tx:
            claims.release(tx, name=_TIDYING, holder=holder)


def _drop(database: Database, model: int, vault_ids: list[int], stop: threading.Event) -> None:
    for vault_id in vault_ids:
        while True:
            if stop.is_set():
                return
            with database.write() as tx:
                if vectors.drop_vectors(tx, vault_id=vault_id, model=model, limit=_AT_ONCE) < _AT_ONCE:
                    break
    with database.write() as tx:
        vectors.drop_model(tx, model=model)
