"""Examining a memory and repairing what can be made again from its facts and notes."""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from sqlalchemy import text

from souvenance.domain.errors import EmbedderUnavailable, SouvenanceError, StoreDamaged
from souvenance.models.embedder import Embedder
from souvenance.store import check
from souvenance.store.database import SCHEMA_REVISION, Database
from souvenance.store.vector_check import check_vectors
from souvenance.upkeep.derived import IN_INDEX, INDEX_ONLY, QUESTIONS, VECTORS, Question

FREE_ENOUGH = 500 * 2**20
FREE_TOO_LITTLE = 20 * 2**20
"""Bytes of free disk below which one is warned, and below which writing is about to fail."""
STEP = 500
"""Things repaired under one hold of the write lock."""


class State(StrEnum):
    """What an examination found: all is well, a person should know, something is wrong."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was examined, how it stands, and the way out where it is not well."""

    name: str
    state: State
    message: str
    hint: str = ""
    count: int = 0


@dataclass(kw_only=True)
class Report:
    """All that was examined, how much there is, and what was repaired (how many of each)."""

    store: str
    findings: list[Finding] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    vectors: dict[str, int] = field(default_factory=dict)
    repaired: dict[str, int] = field(default_factory=dict)

    @property
    def healthy(self) -> bool:
        """Whether nothing is wrong; warnings are not wrong."""
        return all(finding.state is not State.PROBLEM for finding in self.findings)


REPAIR = "souvenance doctor --repair makes it again from the facts and notes."


class Doctor:
    """Examines one store, whether or not it can be opened.

    `embedder` is the one whose vectors are wanted; None where search is to work by words only. `lacking` is what a
    better one would need, as a sentence.
    """

    def __init__(
        self,
        url: str,
        *,
        embedder: Embedder | None,
        lacking: str = "",
    ) -> None:
        self._database = Database(url)
        self._embedder = embedder
        self._lacking = lacking
        self._file = Path(str(self._database.url.database)) if self._database.is_sqlite else None

    def examine(self, *, repair: bool = False) -> Report:
        """Look at everything; with `repair`, make derived data again first where it is wrong. Facts and notes are
        never changed.
        """
        report = Report(store=self._database.url.render_as_string(hide_password=True))
        if self._file is not None and not _may_enter(self._file.parent):
            report.findings.append(_forbidden(self._file.parent, "entered"))
            return report
        report.findings += self._places()
        if self._file is not None and not self._file.exists():
            report.findings.append(
                Finding(
                    name="store",
                    state=State.WARNING,
                    message=f"There is no memory in {self._file.parent} yet.",
                    hint="It is made when something is first remembered; or name another folder with --data.",
                )
            )
            return report
        if self._file is not None and self._file.stat().st_size == 0:
            report.findings.append(self._refused(StoreDamaged(f"{self._file} is empty: 0 bytes.")))
            return report
        try:
            self._database.open()
            report.findings.append(_fine("store", f"The store opens; its schema is {SCHEMA_REVISION}."))
            if repair and self._sound(report):
                report.repaired = self._repair()
                report.findings = [finding for finding in report.findings if finding.name != "integrity"]
            if self._sound(report):
                self._derived(report)
                self._write(report)
        except SouvenanceError as error:
            report.findings.append(self._refused(error))
        finally:
            self._database.close()
        return report

    # --- the place it stands in --------------------------------------------------------------------------------

    def _places(self) -> Iterable[Finding]:
        if self._file is None:
            return
        folder = self._file.parent
        for path in (folder, self._file):
            if path.exists() and os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
                yield Finding(
                    name="rights",
                    state=State.WARNING,
                    message=f"Others on this machine may reach {path}.",
                    hint=f"chmod go-rwx {path}",
                )
        existing = next((path for path in (folder, *folder.parents) if path.exists()), Path("/"))
        for path, right, done in (
            (existing, os.W_OK, "written to"),
            (self._file, os.R_OK, "read"),
            (self._file, os.W_OK, "written to"),
        ):
            if path.exists() and not os.access(path, right):
                yield _forbidden(path, done)
        free = shutil.disk_usage(existing).free
        state = State.PROBLEM if free < FREE_TOO_LITTLE else State.WARNING if free < FREE_ENOUGH else State.OK
        hint = "" if state is State.OK else "Free some space before the next write."
        yield Finding(name="disk", state=state, message=f"{free // 2**20:,} MiB of disk are free.", hint=hint)

    def _refused(self, error: SouvenanceError) -> Finding:
        hint = error.hint
        if isinstance(error, StoreDamaged) and self._file is not None:
            backups = sorted((self._file.parent / "backups").glob("*.db"), key=lambda path: path.stat().st_mtime)
            if backups:
                hint = f"Move {self._file} away and put the newest backup in its place: {backups[-1]}"
            else:
                hint = (
                    f"There is no backup beside it. Move {self._file} away (keep it: `sqlite3 FILE .recover` may still "
                    "read it) and start anew, or restore your own copy."
                )
        return Finding(name="store", state=State.PROBLEM, message=error.message, hint=hint)

    # --- what is in it -----------------------------------------------------------------------------------------

    def _sound(self, report: Report) -> bool:
        """The engine's own check, first: nothing else can be believed of a file that fails it."""
        with self._database.read() as tx:
            said = check.integrity(tx)
        if not said:
            report.findings.append(_fine("integrity", "The database is sound."))
            return True
        damaged = self._refused(StoreDamaged(f"The database file is damaged: {said[0]}."))
        report.findings.append(
            Finding(name="integrity", state=State.PROBLEM, message=damaged.message, hint=damaged.hint, count=len(said))
        )
        return False

    def _derived(self, report: Report) -> None:
        with self._database.read() as tx:
            report.counts = check.counts(tx)
            report.vectors = check.models(tx)
            missing, stale = check.index_against_passages(tx)
            for question in QUESTIONS:
                report.findings.append(_answered(question, len(question.ask(tx))))
            report.findings.append(_answered(IN_INDEX, missing))
            report.findings.append(_answered(INDEX_ONLY, stale))
        report.findings += self._vectors()

    def _vectors(self) -> Iterable[Finding]:
        if self._embedder is None:
            yield _fine("embedder", "No embedder is wanted; search works by words.")
            return
        name = self._embedder.name
        started = time.monotonic()
        try:
            self._embedder.embed_query("Souvenance")
            yield _fine(
                "embedder", f"The embedder {name} works; it answered within {time.monotonic() - started:.1f} s."
            )
        except EmbedderUnavailable as error:
            message = f"{error.message} Search works by words meanwhile."
            yield Finding(name="embedder", state=State.WARNING, message=message, hint=error.hint)
        if self._lacking:
            hint = "Install what is missing, where it exists for this platform."
            yield Finding(name="embedder_parts", state=State.WARNING, message=f"{self._lacking}.", hint=hint)
        found = check_vectors(self._database, name=name, dimension=self._embedder.dimension)
        yield _answered(VECTORS, found.stale + found.unreadable + found.misplaced)
        if found.missing:
            yield Finding(
                name="backlog",
                state=State.WARNING,
                message=f"{found.missing:,} of {found.passages:,} passages wait for a vector.",
                hint="souvenance embed makes them now; a running server makes them by and by.",
                count=found.missing,
            )
        else:
            yield _fine("backlog", "Every passage has its vector.")

    def _write(self, report: Report) -> None:
        """An update of nothing: refused at once where the database is read-only or locked."""
        with self._database.write() as tx:
            tx.execute(text("UPDATE counter SET value = value WHERE name = ''"))
        report.findings.append(_fine("writing", "The database can be written to."))

    # --- repairing ---------------------------------------------------------------------------------------------

    def _repair(self) -> dict[str, int]:
        repaired: dict[str, int] = {}
        for question in QUESTIONS:
            with self._database.read() as tx:
                wrong = question.ask(tx)
            for start in range(0, len(wrong), STEP):
                with self._database.write() as tx:
                    question.remedy(tx, wrong[start : start + STEP])
            if wrong:
                repaired[question.name] = len(wrong)
        with self._database.read() as tx:
            missing, stale = check.index_against_passages(tx)
        if missing or stale or repaired:
            with self._database.write() as tx:
                repaired["index"] = check.rebuild_index(tx)
        if self._embedder is not None:
            name, dimension = self._embedder.name, self._embedder.dimension
            found = check_vectors(self._database, name=name, dimension=dimension, repair=True)
            if not found.is_sound:
                repaired["vectors"] = found.stale + found.unreadable + found.misplaced
        return repaired


def _may_enter(folder: Path) -> bool:
    """Whether what stands in a folder can be looked at; one that is not there yet may be made."""
    try:
        return not folder.exists() or os.access(folder, os.X_OK)
    except OSError:  # it stands in one that cannot be entered
        return False


def _forbidden(path: Path, done: str) -> Finding:
    hint = "Give yourself the right to, or name another folder with --data."
    return Finding(name="rights", state=State.PROBLEM, message=f"{path} cannot be {done}.", hint=hint)


def _fine(name: str, message: str) -> Finding:
    return Finding(name=name, state=State.OK, message=message)


_ONE = {
    "passages": "passage", "facts": "fact", "notes": "note", "links": "link", "entries": "entry", "belong": "belongs",
    "have": "has", "are": "is", "lead": "leads",
}  # fmt: skip
"""What is wrong, of one thing."""


def _answered(question: Question, count: int) -> Finding:
    if not count:
        return _fine(question.name, question.well)
    wrong = question.wrong if count > 1 else " ".join(_ONE.get(word, word) for word in question.wrong.split())
    message = f"{count:,} {wrong}."
    return Finding(name=question.name, state=State.PROBLEM, message=message, hint=REPAIR, count=count)
