"""What people read of passes and proposals, in English and French: every interface that shows words takes them here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from souvenance.domain.proposal import Overtaken, label
from souvenance.domain.wording import counted

_EVIDENCE_FR = {
    "close_meaning": "sens proche",
    "denied": "l’un nie ce que dit l’autre",
    "model_says": "le modèle y voit une contradiction",
    "no_longer": "l’un dit que ce n’est plus vrai",
    "other_subject": "autre sujet",
    "same_key": "même clé",
    "same_text": "même texte",
    "same_value": "même valeur",
    "says_it_changed": "l’un dit que cela a changé",
    "shared_words": "mots en commun",
    "too_long_to_compare": "trop long pour être comparé",
    "two_languages": "deux langues",
}
_WHAT_FR = {
    "address": "tutoiement", "clock": "heure", "code": "langage", "colour": "couleur", "count": "nombre",
    "database": "base de données", "date": "date", "day": "jour", "daytime": "moment du jour", "diet": "régime",
    "drink": "boisson", "duration": "durée", "editor": "éditeur", "indentation": "indentation",
    "instrument": "instrument", "job": "métier", "kin": "parenté", "language": "langue", "material": "matière",
    "medium": "support", "money": "montant", "month": "mois", "names": "noms", "order": "ordre", "ordinal": "rang",
    "percent": "pourcentage", "pet": "animal", "place": "lieu", "pronoun": "pronom", "rhythm": "rythme",
    "season": "saison", "side": "côté", "sport": "sport", "style": "style", "subject": "matière enseignée",
    "system": "système", "tone": "ton", "vehicle": "véhicule", "version": "version", "year": "année",
}  # fmt: skip


def evidence_label(code: str, language: str = "en") -> str:
    """A piece of evidence (`pairs.why_codes`) in words."""
    if language != "fr":
        return code.replace("_", " ")
    how, _, what = code.partition("_")
    if how == "opposite":
        return "contraires"
    if code not in _EVIDENCE_FR and how in {"different", "other"} and what in _WHAT_FR:
        return f"différence : {_WHAT_FR[what]}"
    return _EVIDENCE_FR.get(code, code.replace("_", " "))


def stale_words(number: int | None, what: Overtaken, language: str = "en") -> str:
    """What overtook a proposal, as a sentence without its end."""
    if language == "fr":
        named = "Un de ses souvenirs" if number is None else f"Le souvenir #{number}"
        return f"{named} {label(what, language)} depuis cette proposition"
    named = "One of its facts" if number is None else f"Fact #{number}"
    return f"{named} {label(what, language)} since this was proposed"


def pass_words(made: Mapping[str, Any], language: str = "en") -> str:
    """One pass on one line, from `pass_dict` of the same language."""
    if language == "fr":
        called = _called(made, "jugée ainsi par", "jugées ainsi par")
        pairs = _compte(made["contradictions"], "contradiction", "contradictions") + called
        parts = [
            _compte(made["duplicates"], "souvenir dit deux fois", "souvenirs dits deux fois"),
            pairs,
            _compte(made["summaries"], "nouveau résumé", "nouveaux résumés"),
            _compte(made["answered_before"], "paire déjà tranchée", "paires déjà tranchées"),
        ]
        parts += [f"{made['left_over']:,} pour la prochaine passe"] if made["left_over"] else []
        return f"{_compte(made['facts'], 'souvenir', 'souvenirs')} : {', '.join(parts)} ; {made['why']}."
    pairs = counted(made["contradictions"], "contradiction") + _called(made, "called so by", "called so by")
    parts = [
        f"{made['duplicates']:,} said twice",
        pairs,
        counted(made["summaries"], "new summary", "new summaries"),
        f"{made['answered_before']:,} answered before",
    ]
    parts += [f"{made['left_over']:,} left for the next pass"] if made["left_over"] else []
    return f"{counted(made['facts'], 'fact')}: {', '.join(parts)}; {made['why']}."


def _compte(number: int, one: str, many: str) -> str:
    """How many in French, where the plural begins at two."""
    return f"{number:,} {one if number < 2 else many}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def _called(made: Mapping[str, Any], one: str, many: str) -> str:
    demoted = made["demoted"]
    return f" ({demoted:,} {one if demoted == 1 else many} {made['model']})" if demoted else ""


SAID: dict[str, dict[str, str]] = {
    "en": {
        "no_pass": "No pass: {why}.",
        "no_pass_now": "No pass now: {why}{until}.",
        "would_run": "A pass would run now: {why}{until}.",
        "until": " (until {at})",
        "shows_them": "souvenance proposal list --vault {vault} shows them.",
        "waits": "Nothing waits for an answer.",
        "none": "There is none.",
        "replaced": "#{retired} is retired and replaced by #{kept}.",
        "summary_now": "#{kept} is the summary now.",
        "this": "this",
        "that": "that",
        "draft": "draft",
        "closed": "{stale}; it can be answered no more.",
        "answered": "answered by {who}, {at}: {answer}",
    },
    "fr": {
        "no_pass": "Pas de passe : {why}.",
        "no_pass_now": "Pas de passe pour l’instant : {why}{until}.",
        "would_run": "Une passe aurait lieu maintenant : {why}{until}.",
        "until": " (jusqu’à {at})",
        "shows_them": "souvenance proposal list --vault {vault} les montre.",
        "waits": "Rien n’attend de réponse.",
        "none": "Il n’y en a pas.",
        "replaced": "#{retired} est retiré et remplacé par #{kept}.",
        "summary_now": "#{kept} est désormais le résumé.",
        "this": "celui-ci",
        "that": "celui-là",
        "draft": "brouillon",
        "closed": "{stale} ; on ne peut plus y répondre.",
        "answered": "réponse de {who}, {at} : {answer}",
    },
}


def say(what: str, language: str = "en", **named: object) -> str:
    """One of the sentences of `SAID`, filled in."""
    return SAID.get(language, SAID["en"])[what].format(**named)
