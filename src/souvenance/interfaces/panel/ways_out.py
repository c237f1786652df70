"""Hints of the engine that name a command, an option or a field, as a person in front of a browser can follow them.

Hints are written once for every interface, and most of the others are used by programs or in a terminal. Here stands
what the panel says instead; where only the machine itself helps, that is said. `{}` is where a value stands.
"""

from __future__ import annotations

from souvenance.interfaces.panel.marking import marked as _

_AGENTS = _("The page Agents shows yours.")
_TEAM = _("The page Team in Settings shows yours.")
_ANOTHER_PERSON = _("The page Team in Settings shows who is there.")
_WRITING_TOKEN = _("Ask the owner for a token that may write.")
_MODEL_TEST = _("“Try it” on the page Models in Settings finds out.")

WAYS_OUT = {
    "souvenance conversation list shows yours.": _("The chat lists yours."),
    "souvenance token list shows yours.": _AGENTS,
    "souvenance session list shows yours.": _("The page Account in Settings shows yours."),
    "souvenance team list shows yours.": _TEAM,
    "souvenance team list shows who is.": _ANOTHER_PERSON,
    "souvenance team invitations lists them.": _("The page Team in Settings lists them."),
    "souvenance user list.": _ANOTHER_PERSON,
    "souvenance user list shows them.": _ANOTHER_PERSON,
    "souvenance folder list shows those there are.": _("The vault's page shows those there are."),
    "souvenance endpoint list shows yours.": _("The page Models in Settings shows yours."),
    "souvenance endpoint test {} finds out.": _MODEL_TEST,
    "Give it its key again, typed or on standard input: souvenance endpoint change {} --key": _(
        "Give it its key again: “Change” on the page Models in Settings."
    ),
    "Make one: souvenance token create NAME.": _("Make one on the page Agents."),
    "Ask the owner for a token that may write: souvenance token create.": _(
        "Ask the owner for a token that may write."
    ),
    "Make a team (souvenance team add) and move to it what you share.": _(
        "Make a team on the page Team in Settings, and move to it what you share."
    ),
    "Give another member the permission first: souvenance team member.": _(
        "Give another member the permission first, on the page Team in Settings."
    ),
    "Resume it first: souvenance folder resume.": _("Resume it first, on the vault's page."),
    "Wait for it; `folder list` shows how far.": _("Wait for it; the vault's page shows how far."),
    "Invite the bot to the server; `souvenance discord servers` lists those it is in.": _(
        "Invite the bot to the server; its vault then stands on the page Vaults."
    ),
    "Log in with your handle and password; souvenance user password owner sets the owner's.": _(
        "Log in with your handle and password. On the machine it runs on, `souvenance user password owner` sets the "
        "owner's."
    ),
    "Run souvenance doctor.": _("On the machine it runs on, `souvenance doctor` says what is wrong."),
    "Run `souvenance doctor`; restore the newest file of the backups folder if it confirms it.": _(
        "On the machine it runs on, `souvenance doctor` says whether that is so; then the newest file of the backups "
        "folder takes its place."
    ),
    "Its folder must be one that can be written to, also for reading, unless the whole disk is read-only. "
    "`souvenance doctor` says what is wrong with it.": _(
        "Its folder must be one that can be written to, also for reading, unless the whole disk is read-only. "
        "On the machine it runs on, `souvenance doctor` says what is wrong."
    ),
    "Upgrade Souvenance, or point --data at another folder. Nothing was changed.": _(
        "Upgrade Souvenance on the machine it runs on. Nothing was changed."
    ),
    "Choose a folder you may write to with --data or SOUVENANCE_DATA.": _(
        "Give Souvenance the right to write to its folder, on the machine it runs on."
    ),
    "Ask with less: a shorter question, or fewer facts (max_injected).": _(
        "Ask with less: a shorter question, or fewer facts at once (the vault's page Answers in Settings)."
    ),
    "It answers again tomorrow (UTC); its setting daily_tokens is the cap.": _(
        "It answers again tomorrow (UTC). The cap stands on its page Answers in Settings: “Most tokens a day”."
    ),
    "Name its level too (`## Title`), or use find_replace.": _("Name its level too (`## Title`)."),
    "Name the section “{}” to replace all of it, or use find_replace.": _(
        "Name the section “{}” to replace all of it, or change the fact itself, on the page Memory."
    ),
    "Leave the anchor out, or use find_replace or replace to change a fact that is there.": _(
        "Leave the anchor out; a fact that is there is changed on the page Memory."
    ),
    "Use find_replace, or give one of them another title first.": _("Give one of them another title first."),
    "Put the folder in `path` and leave slashes out.": _("Choose the folder in its own field, and leave slashes out."),
    "A context set is made by saying which notes it holds, then named as set:NAME.": _(
        "A set is made on the page Context of Agents, by giving a new name."
    ),
}
"""By the hint as the engine gives it."""
