"""People who come in, for the tests of who may do what."""

import threading
from collections.abc import Callable
from typing import Any

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.errors import SouvenanceError

PASSWORD = "a harp has many strings"
OTHER = "a lyre has fewer of them"
HERE = "203.0.113.7"


def log_in(app: Application, handle: str, password: str = PASSWORD) -> tuple[str, Actor]:
    secret = app.sessions.log_in(handle=handle, password=password, address=HERE).secret
    return secret, app.sessions.authenticate(secret)[1]


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """What each answers or raises, called at the same moment."""
    found: list[Any] = [None] * len(calls)
    barrier = threading.Barrier(len(calls))

    def run(place: int, call: Callable[[], Any]) -> None:
        barrier.wait()
        try:
            found[place] = call()
        except SouvenanceError as error:
            found[place] = error

    threads = [threading.Thread(target=run, args=(place, call)) for place, call in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found
