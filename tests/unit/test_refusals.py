"""R5: what the engine refuses, and why, is said in the reader's language; a sentence without its French fails here."""

import io
import re
import time
from importlib import resources
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from refusal_texts import texts
from souvenance.consolidation.words import stale_words as overtaken_words
from souvenance.domain.errors import Conflict, InvalidInput
from souvenance.domain.proposal import Answer, Kind, Overtaken, label
from souvenance.interfaces.panel.refusals import (
    FILE,
    LONGEST,
    given_in_language,
    in_language,
    joined_in_language,
    told,
)
from souvenance.interfaces.panel.render import ROOM
from souvenance.interfaces.panel.ways_out import WAYS_OUT
from souvenance.memory.secrets import KINDS
from souvenance.retrieval import matching
from souvenance.store.backlog import Coverage

PANEL = Path(str(resources.files(ROOM)))
HOLE = re.compile(r"\{([0-9]?)~?\}")
SOURCE = texts()
PASSED_ON = re.compile(
    r"interfaces/cli/(accounts|session)\.py: "  # what a server said over HTTP; a question's own text, on a terminal
    r"|interfaces/panel/pages/\w+\.py: visit\.say\("  # said in the reader's language already
    r"|models/endpoint_embedder\.py: error\.(message|hint)\Z"  # another refusal, told again
    r"|servers/members\.py: ', '\.join\(MemoryType\)\Z"  # names
    r"|store/facts\.py: message\Z"  # what its callers give is read instead
)
COMMAND = re.compile(r"\bsouvenance [a-z]+|(?<!\S)--?[a-z]|`[a-z]+ [a-z ]+`|find_replace")
"""A command, an option, or an operation of a tool."""
ON_ITS_MACHINE = re.compile("[Oo]n the machine it runs on|[Ss]ur la machine qui l’héberge")
ELSEWHERE = re.compile(r"interfaces/(?!panel/)|serving/")
"""Where refusals are made that no page shows."""
NARROW, WIDE = "\N{NARROW NO-BREAK SPACE}", "\N{NO-BREAK SPACE}"


def _catalogue(context: str) -> dict[str, str]:
    file = (PANEL / "locale/fr" / FILE).read_bytes()
    return {str(one.id): str(one.string) for one in read_po(io.BytesIO(file)) if one.id and one.context == context}


def test_r5_every_refusal_and_reason_of_the_source_has_its_french() -> None:
    known = _catalogue("sentence")
    assert len(SOURCE.refusals) > 600
    said = {text for text, french in known.items() if french} | WAYS_OUT.keys()
    assert not {text: place for text, place in (SOURCE.refusals | SOURCE.reasons).items() if text not in said}
    assert not known.keys() & WAYS_OUT.keys()
    assert not WAYS_OUT.keys() - SOURCE.refusals.keys()


@pytest.mark.parametrize("language", ["en", "fr"])
def test_r5_no_refusal_names_a_command_to_a_person_in_a_browser(language: str) -> None:
    """What only the machine helps against may name one, and says where it is typed."""
    here = {text for text, place in SOURCE.refusals.items() if not ELSEWHERE.match(place)}
    shown = {text: in_language(text, language) for text in here}
    assert not {text: said for text, said in shown.items() if COMMAND.search(said) and not ON_ITS_MACHINE.search(said)}
    assert len(WAYS_OUT) > 25


def test_r5_every_word_that_fills_a_refusal_has_its_french() -> None:
    known = _catalogue("word")
    assert not {text: place for text, place in SOURCE.words.items() if "{}" not in text and not known.get(text)}
    assert not [kind for kind in KINDS if not known.get(kind.replace("_", " "))]


def test_r5_every_refusal_is_a_text_that_can_be_read_in_the_source() -> None:
    """A refusal that is put together in another way would stay English unseen."""
    assert not [text for text in SOURCE.unread if not PASSED_ON.match(text)]


def test_r5_no_french_of_a_refusal_is_left_over() -> None:
    used = {**SOURCE.refusals, **SOURCE.reasons}
    assert not [text for text in _catalogue("sentence") if text not in used]


@pytest.mark.parametrize("context", ["sentence", "word"])
def test_r5_the_french_has_the_same_holes(context: str) -> None:
    for text, french in _catalogue(context).items():
        holes = [int(number) if number else at for at, number in enumerate(HOLE.findall(french), start=1)]
        assert sorted(holes) == list(range(1, text.count("{}") + 1)), text
        assert "{}{}" not in text, "two values in a row cannot be told apart"


@pytest.mark.parametrize("context", ["sentence", "word"])
def test_r5_the_french_is_set_as_french_is(context: str) -> None:
    for text, french in _catalogue(context).items():
        said = re.sub(r"`[^`]*`|https?:\S*|\bpip install \S+|'[^']*'", "", french)
        assert not re.search(r"(?<![\w:/])['\"“”]\w|\w'\w", re.sub(r"^\{\".*", "", said)), french
        assert not re.search(rf"[^{NARROW}\W][;!?](?:\s|$)| [;:!?](?:\s|$)|« | »|«[^{WIDE}]|[^{WIDE}]»", said), french
        assert text[-1:] not in ".?" or french[-1:] in ".?", french


@pytest.mark.parametrize(
    ("english", "french"),
    [
        ("The title is empty.", "Le titre est vide."),
        ("There is already a vault called “a.*(b)[c]\\”.", "Il y a déjà un coffre nommé «\xa0a.*(b)[c]\\\xa0»."),
        ("There is already a vault called “{}{1}%s\n“x””.", "Il y a déjà un coffre nommé «\xa0{}{1}%s\n“x”\xa0»."),
        ("There is already a vault called “note”.", "Il y a déjà un coffre nommé «\xa0note\xa0»."),
        ("There is already a vault called “member”.", "Il y a déjà un coffre nommé «\xa0member\xa0»."),
        ("The vault's name is empty.", "«\xa0nom du coffre\xa0» est vide."),
        ("Fact #12 is at version 3, not 2; nothing was written.",
         "Le souvenir #12 en est à la version 3, et non 2\u202f; rien n’a été écrit."),
        ("This looks like it holds a secret (api key, pin); nothing was written.",
         "Cela semble contenir un secret (clé d’API, code PIN)\u202f; rien n’a été écrit."),
        ("The title is 3,000 bytes; at most 2,048 are kept.",
         "«\xa0titre\xa0» pèse 3\u202f000 octets\u202f; 2\u202f048 au plus sont conservés."),
        ("“3,000” is no number.", "«\xa03,000\xa0» n’est pas un nombre."),
        ("hub answered with status 500: no room", "hub a répondu avec l’état 500\xa0: no room"),
        ("Only a person imports files.", "Seule une personne importe des fichiers."),
        ("What nobody ever wrote.", "What nobody ever wrote."),
        ("", ""),
    ],
)  # fmt: skip
def test_r5_a_refusal_is_known_again_whatever_fills_it(english: str, french: str) -> None:
    assert in_language(english, "fr") == french
    assert in_language(english, "en") == english


def test_a_command_gives_way_to_what_the_panel_has_also_in_a_text_that_was_kept() -> None:
    kept = "a refuses the key. Give it its key again, typed or on standard input: souvenance endpoint change a --key"
    assert joined_in_language(kept, "en") == (
        "a refuses the key. Give it its key again: “Change” on the page Models in Settings."
    )
    assert joined_in_language(kept, "fr").endswith("la clé. Redonnez-lui sa clé\xa0: «\xa0Modifier\xa0», à la page "
                                                   "Modèles des Réglages.")  # fmt: skip
    assert (
        told(InvalidInput("x", hint="souvenance token list shows yours."), "en").hint == "The page Agents shows yours."
    )


def test_r5_values_stay_where_two_texts_could_be_meant() -> None:
    """A note whose title holds the words around a value is named whole and once."""
    said = in_language("“a” exists already: b.” exists already: c.", "fr")
    assert said == "«\xa0a\xa0» existe déjà\xa0: b.” exists already: c."


def test_r5_a_very_long_refusal_is_told_at_once() -> None:
    within = "” exists already: " * (LONGEST // 20)
    started = time.perf_counter()
    assert in_language(f"“{within}” exists already: a.", "fr").startswith("«\xa0")
    joined_in_language("No one. " * (LONGEST // 8), "fr")
    assert in_language("x" * LONGEST * 50, "fr") == "x" * LONGEST * 50
    assert time.perf_counter() - started < 1


def test_r5_a_refusal_is_told_with_its_hint() -> None:
    error = Conflict("“a” exists already: f/a.", hint="Edit that note, or choose another title or folder.")
    french = "«\xa0a\xa0» existe déjà\xa0: f/a. Modifiez cette note, ou choisissez un autre titre ou un autre dossier."
    assert str(told(error, "fr")) == french == joined_in_language(str(error), "fr")
    assert told(error, "en") == told(error, "de")
    assert str(told(InvalidInput("Unknown."), "fr")) == "Unknown."


@pytest.mark.parametrize("number", [7, None])
def test_r5_what_overtook_a_proposal_is_told(number: int | None) -> None:
    for what in Overtaken:
        french = in_language(f"{overtaken_words(number, what)}; nothing was changed.", "fr")
        assert french == f"{overtaken_words(number, what, 'fr')}\u202f; rien n’a été modifié."


def test_r5_an_answer_given_before_is_told() -> None:
    english = f"This proposal was answered already by Ada: {label(Answer.KEEP_BOTH)}. Nothing was changed."
    assert in_language(english, "fr").endswith("de Ada\xa0: garder les deux. Rien n’a été modifié.")
    assert "(doublon)" in in_language(f"“x” is no answer to a {Kind.DUPLICATE}.", "fr")


@pytest.mark.parametrize("state", list(matching.SENTENCES["en"]))
def test_r5_why_words_answered_is_told_vault_by_vault(state: matching.Matching) -> None:
    now = matching.Situation(
        is_by_meaning=True, message="lol", model="e5 (small)", may_read=False, covered=Coverage(3, 9),
        refusal="The embedder took more than 4 seconds for the query.",
    )  # fmt: skip
    said = given_in_language(f"harp: {matching.sentence(state, now)}; lute-2: words were asked for", "fr")
    first, _, second = said.partition(f"{NARROW}; lute-2{WIDE}: ")
    assert second == "la recherche par mots a été demandée"
    assert first.startswith(f"harp{WIDE}: ")
    assert not re.search(r"\b(the|is|of|words|took)\b", first)


@pytest.mark.parametrize("file", sorted([*PANEL.glob("**/*.py"), *PANEL.glob("**/*.html")]), ids=lambda file: file.name)
def test_r5_no_page_shows_a_refusal_as_it_was_raised(file: Path) -> None:
    """`visit.told(error)` is the one way; `refusals.py` is what it goes through."""
    if file.name != "refusals.py":
        raw = re.compile(r"\b(?:error|refused|problem)\.message\b|\{+ *error(?:\.hint)? *\}|(?<!\w)str\(error\)")
        assert not raw.search(file.read_text())
