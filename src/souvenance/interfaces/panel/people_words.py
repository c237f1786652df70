"""Who did something, as people read it: a name of their own, or what a chat's model and an unnamed owner are called."""

from __future__ import annotations

from markupsafe import Markup

from souvenance.domain.access import ASKED_BY, CHAT_MODEL
from souvenance.domain.person import UNNAMED
from souvenance.interfaces.panel.marking import marked as _
from souvenance.interfaces.panel.render import Tongue

_CALLED = {UNNAMED: _("Owner"), CHAT_MODEL: _("the chat's model")}


def named(tongue: Tongue, name: str) -> str:
    """A name as people chose it; those that nobody chose are said in the reader's language."""
    return tongue.say(_CALLED[name]) if name in _CALLED else name


def by(tongue: Tongue, who: str) -> Markup:
    """Who did something, to stand in a line with words of ours: a name is kept from turning those around."""
    model, _asked, whose = who.partition(ASKED_BY)
    if model == CHAT_MODEL and whose:
        return Markup(tongue.say(_("the chat's model, for %(name)s"))) % {"name": by(tongue, whose)}  # noqa: S704 - ours
    return Markup("<bdi>%s</bdi>") % (named(tongue, who) or tongue.say(_("someone")))
