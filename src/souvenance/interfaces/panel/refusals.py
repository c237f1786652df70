"""What use cases refuse, in the reader's language: those refusals that a person meets in everyday use.

A use case says them in English, for every interface. One that is not here is shown as it was said.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from souvenance.interfaces.panel.render import Tongue


def _(text: str) -> str:
    """Marks a text for the catalogues; it is said in the reader's language later."""
    return text


REFUSALS = (
    _("The handle or the password is not right."),
    _("Check both and try again."),
    _("Too many attempts to log in."),
    _("Too many people log in at this very moment."),
    _("Try again in %(minutes)s minutes."),
    _("Try again."),
    _("This link was used already, or its time is over."),
    _("Make a new one: souvenance open."),
    _("This server can be reached by others, so one comes in with an account, not with a link."),
    _("Log in with your handle and password; souvenance user password owner sets the owner's."),
    _("This invitation was used already or withdrawn, or its time is over."),
    _("Ask for another one."),
    _("You are in that team already."),
    _("You are no longer signed in."),
    _("This page is no longer valid."),
    _("Load it again; what you typed is still there."),
    _("There is nothing at this address."),
    _("A handle has 2 to %(most)s characters."),
    _("A handle is made of letters, digits, dots, underscores and hyphens, and begins with a letter or digit."),
    _("Choose another one."),
    _("There is a user “%(handle)s” already."),
    _("Choose another handle."),
    _("A password has at least %(least)s characters."),
    _("That password is too easily guessed."),
    _("A few words in a row are a good one."),
    _("The present password is not right."),
    _("Type it again. Nothing was changed."),
    _("There is no vault of that name that you can reach."),
    _("You may read this vault but not change it."),
    _("You may read this note but not change it."),
    _("You may read this vault but not erase it."),
    _("Ask its team for the configure permission."),
    _("You are in this team but may not change it."),
    _("Ask for the configure permission."),
    _("“%(what)s” is no number."),
    _("Write it in digits."),
    _("That is over %(size)s KiB; nothing was written."),
    _("Send less at once, in several parts."),
)
"""As they are said in English, with what differs from one to the next as `%(name)s`."""


def in_words(tongue: Tongue, text: str) -> str:
    """A message or a hint of a refusal in the reader's language; as it was said where it is none of `REFUSALS`."""
    if text in REFUSALS:
        return tongue.say(text)
    for pattern, refusal in _patterns():
        if found := pattern.fullmatch(text):
            return tongue.say(refusal, **found.groupdict())
    return text


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    holes = [text for text in REFUSALS if "%(" in text]
    return tuple(
        (re.compile(re.sub(r"%\\\((\w+)\\\)s", r"(?P<\1>.{1,200})", re.escape(text)), re.DOTALL), text)
        for text in holes
    )
