"""`souvenance remember`: keep a fact, or one for each line of standard input."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from souvenance.domain.errors import InvalidInput, SouvenanceError
from souvenance.domain.fact import DEFAULT_CATEGORY, SubjectKind, checked_content
from souvenance.interfaces.cli.session import Session, read_text, verb, warn_of_secrets

if TYPE_CHECKING:
    from souvenance.memory.remember import Observation, Remembered

group = typer.Typer()
BATCH = 500


@verb(
    group,
    "remember",
    writes=True,
    example=(
        'remember "The server\'s language is French." --project server\nremember - --lines --project blog < facts.txt'
    ),
)
def remember(
    session: Session,
    text: Annotated[str, typer.Argument(help="What to remember; - reads it from standard input.")],
    *,
    vault: Annotated[str | None, typer.Option(help="The vault to keep it in, which must exist.")] = None,
    about_user: Annotated[bool, typer.Option("--about-user", help="In the personal vault (the default).")] = False,
    project: Annotated[str | None, typer.Option(help="In this project's vault, made on first use.")] = None,
    category: Annotated[str, typer.Option(help="A label: the page it is filed on.")] = DEFAULT_CATEGORY,
    key: Annotated[str, typer.Option(help="A short name for it.")] = "",
    digest: Annotated[str | None, typer.Option(help="One line about the category, for the index.")] = None,
    confidence: Annotated[float, typer.Option(help="How sure it is, 0 to 1.")] = 1.0,
    importance: Annotated[int | None, typer.Option(help="How much it matters, 1 to 10.")] = None,
    subject: Annotated[SubjectKind, typer.Option(help="Whom it is about.")] = SubjectKind.VAULT,
    subject_id: Annotated[str, typer.Option(help="Which member or role it is about.")] = "",
    author: Annotated[str, typer.Option(help="Who said it.")] = "",
    channel: Annotated[str, typer.Option(help="Where it was said.")] = "",
    said_at: Annotated[str, typer.Option(help="When it was said.")] = "",
    language: Annotated[str | None, typer.Option(help="Its language, as en or fr.")] = None,
    lines: Annotated[bool, typer.Option("--lines", help="With -: each line of standard input is a fact.")] = False,
) -> None:
    """Remember a fact. The same words in the same category are kept once."""
    from souvenance.memory.dates import parse_said_at
    from souvenance.memory.remember import Observation

    if sum((vault is not None, about_user, project is not None)) > 1:
        raise InvalidInput(
            "--vault, --about-user and --project each name a place; give one.", hint="Without any: the personal vault."
        )
    if lines and text != "-":
        raise InvalidInput("--lines reads standard input.", hint="Write: souvenance remember - --lines < FILE")
    given = read_text(text, what="fact")
    wordings = _lines(given) if lines else [given]
    observations = [
        Observation(
            content=wording,
            key=key,
            category=category,
            confidence=confidence,
            importance=importance,
            subject_kind=subject,
            subject_id=subject_id,
            channel=channel,
            author=author,
            language=language,
            said_at=said_at,
        )
        for wording in wordings
    ]
    if said_at and parse_said_at(said_at, "UTC") is None:
        session.out.note(f"“{said_at}” names no day: dates in what was said stay as they were said.")
    remembered = _keep(session, observations, vault=vault, project=project, digest=digest, lines=lines)
    shapes = [_shape(session, item) for item in remembered]
    if lines:
        outcomes = [item.outcome.value for item in remembered]
        counted = ", ".join(f"{outcomes.count(name)} {name}" for name in sorted(set(outcomes)))
        session.out.say({"remembered": shapes}, counted or "Nothing was given.")
        warn_of_secrets(session, sorted({kind for shape in shapes for kind in shape["warnings"]}))
        return
    shape = shapes[0]
    session.out.say(shape, f"#{shape['number']} {shape['outcome']} in {shape['vault']}, {shape['category']}")
    warn_of_secrets(session, shape["warnings"])
    if shape["similar_categories"]:
        session.out.note(f"Categories that look like this one: {', '.join(shape['similar_categories'])}")


def _lines(text: str) -> list[str]:
    """The lines that are facts; one that cannot be is named, before any of them is kept."""
    found = []
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            found.append(checked_content(line))
        except InvalidInput as error:
            raise type(error)(
                f"Line {number}: {error.message} No line was kept.", hint=error.hint, line=number, **error.details
            ) from None
    return found


def _keep(
    session: Session,
    observations: list[Observation],
    *,
    vault: str | None,
    project: str | None,
    digest: str | None,
    lines: bool,
) -> list[Remembered]:
    """Keep them in the named place, making the vault where the place allows it."""
    remembered: list[Remembered] = []
    total = len(observations)
    with session.out.progress("Remembering") as advance:
        try:
            for batch in _remembered(session, observations, vault=vault, project=project, digest=digest):
                remembered += batch
                advance(len(remembered), total)
        except SouvenanceError as error:
            if lines and remembered:
                told = f"Stopped: the first {len(remembered):,} of {total:,} facts are kept, the others are not."
                hint = f"{error.hint} Those that are kept are passed over when all are sent again.".strip()
                kept = {"kept": len(remembered), "given": total}
                raise type(error)(f"{told} {error.message}", hint=hint, **error.details, **kept) from error
            raise
    return remembered


def _remembered(
    session: Session, observations: list[Observation], *, vault: str | None, project: str | None, digest: str | None
) -> Iterator[list[Remembered]]:
    facts, actor = session.memory.facts, session.actor
    if vault is None and observations:
        first, *observations = observations
        if project is not None:
            made = facts.remember_about_project(actor=actor, project=project, observation=first, digest=digest)
        else:
            made = facts.remember_about_user(actor=actor, observation=first, digest=digest)
        yield [made]
        vault = session.slugs[made.fact.vault_id]
    for start in range(0, len(observations), BATCH):
        batch = observations[start : start + BATCH]
        yield facts.remember(actor=actor, vault=vault or "", observations=batch, digest=digest)


def _shape(session: Session, item: Remembered) -> dict[str, Any]:
    return {
        "outcome": item.outcome,
        "number": item.fact.number,
        "version": item.fact.version,
        "note": item.note_id,
        "vault": session.slugs.get(item.fact.vault_id, ""),
        "category": item.fact.category,
        "similar_categories": item.similar_categories,
        "warnings": item.secrets,
    }
