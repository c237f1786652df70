"""Facts of a file into a vault: what is there already is found again, links are kept, batches are whole (R4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from souvenance.domain.access import Actor, Source
from souvenance.domain.clock import Clock, isoformat
from souvenance.domain.fact import State
from souvenance.domain.form import FactForm
from souvenance.domain.vault import Vault
from souvenance.imports.deeds import Stop, deed_of, named_where_it_fails
from souvenance.imports.facts.files import read_facts
from souvenance.imports.facts.keeping import Numbers, keep
from souvenance.imports.facts.known import Known
from souvenance.imports.facts.records import FactFile, Record, Remark
from souvenance.imports.remarks import Remarks
from souvenance.imports.target import require_importer, target_vault
from souvenance.imports.uploads import Upload
from souvenance.memory.guard import secret_kinds
from souvenance.store import history
from souvenance.store.database import Database, Transaction

BATCH = 500
"""Facts stored under one hold of the write lock, so that other writers are never kept waiting for long."""

Progress = Callable[[int, int], None]
"""Called with how many facts are done and how many there are."""


@dataclass(slots=True, kw_only=True)
class FactsReport:
    """What an import of facts did, or with `dry_run` would do.

    `facts` is how many the file holds, `created` how many are new, `retired` and `trashed` how many of those are no
    longer in force, `known` how many were there already. `problems` are lines left out, `warnings` lines that were
    taken. `deed` is the name under which all of it can be reviewed and taken back together, since `begun`.
    `stopped`: it ended before all was in; importing the same file again goes on from there.
    """

    form: str = ""
    facts: int = 0
    created: int = 0
    retired: int = 0
    trashed: int = 0
    known: int = 0
    problems: Remarks[Remark] = field(default_factory=Remarks)
    warnings: Remarks[Remark] = field(default_factory=Remarks)
    makes_vault: bool = False
    dry_run: bool = False
    stopped: bool = False
    deed: str = ""
    begun: datetime | None = None

    def as_dict(self) -> dict[str, Any]:
        """The report as every interface sends it."""
        names = ("form", "facts", "created", "retired", "trashed", "known", "makes_vault", "dry_run", "stopped", "deed")
        shown: dict[str, Any] = {name: getattr(self, name) for name in names}
        shown["begun"] = None if self.begun is None else isoformat(self.begun)
        for name in ("problems", "warnings"):
            shown[name] = [{"line": item.line, "reason": item.reason} for item in getattr(self, name)]
        return shown


class FactImports:
    """Reading facts from outside."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def facts(
        self,
        *,
        actor: Actor,
        upload: Upload,
        vault: str,
        form: FactForm = FactForm.AUTO,
        dry_run: bool = False,
        may_miss: bool = False,
        progress: Progress | None = None,
        stop: Stop | None = None,
    ) -> FactsReport:
        """Read a file of facts into a vault: JSON lines as the export writes them, CSV, mem0's JSON, Markdown.

        Facts get new numbers; what replaced what is linked anew by the file's own. States, dates and who said it are
        kept as the file says. What is there already is left as it is: the same words in force; or, of a fact that
        ended or that an import brought, the same words at their first, from the same moment. Only people do this.
        Each batch is durable once it is counted as done; read again after a stop or a failure, the file goes on from
        there. `may_miss`: a dry run may name a vault that is not there yet.
        """
        require_importer(actor)
        target = target_vault(self._database, actor, vault, may_miss=may_miss and dry_run)
        begun = self._clock()
        found = read_facts(upload, form=form, now=begun)
        report = FactsReport(
            form=found.form,
            facts=len(found.records),
            problems=found.problems,
            warnings=found.warnings,
            makes_vault=target is None,
            dry_run=dry_run,
        )
        plan = self._planned(target, found, report)
        for said in (report.problems, report.warnings):
            said.close(Remark(0, f"not named here: {said.more:,} more"))
        if dry_run or not plan.fresh:
            return report
        assert target is not None
        report.deed, report.begun = deed_of(found.form), begun
        report.created = report.retired = report.trashed = 0
        with named_where_it_fails(report.deed, lambda: report.created):
            self._write(replace(actor, source=Source.IMPORT, name=report.deed), target, plan, report, progress, stop)
        return report

    def _planned(self, target: Vault | None, found: FactFile, report: FactsReport) -> _Plan:
        """What is new of the file, what its numbers are here, and in which order to write."""
        with self._database.read() as tx:
            plan = _Plan(Known(tx, None if target is None else target.id))
            for batch in _batches(found.records):
                plan.known.look_up(tx, batch)
                for item in batch:
                    if plan.take(item):
                        _count(report, item)
                        _warn(report, item)
                    else:
                        report.known += 1
        plan.order(report.warnings)
        return plan

    def _write(
        self,
        actor: Actor,
        target: Vault,
        plan: _Plan,
        report: FactsReport,
        progress: Progress | None,
        stop: Stop | None,
    ) -> None:
        with self._database.write() as tx:
            plan.give_numbers(tx.next_numbers("fact_number", len(plan.fresh)))

        def audit(tx: Transaction) -> None:
            """With the first facts, so that none stand there unsaid: how many are to come."""
            if not report.created:
                history.record_audit(
                    tx, actor, verb="vault.import", at=self._clock(), vault_id=target.id, form=report.form,
                    facts=len(plan.fresh),
                )  # fmt: skip

        done = 0
        for batch in _batches(plan.ordered):
            if stop is not None and stop():
                report.stopped = True
                break
            made = keep(self._database, self._clock, actor, vault=target, records=batch, known=plan.known,
                        numbers=plan.numbers, audit=audit)  # fmt: skip
            for item in made:
                _count(report, item)
            report.known += len(batch) - len(made)
            done += len(batch)
            if progress is not None:
                progress(done, len(plan.ordered))


class _Plan:
    """The new facts of a file, and where its numbers lead."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.fresh: list[Record] = []
        self.ordered: list[Record] = []
        self.numbers = Numbers()
        self._in_force: dict[str, Record] = {}

    def take(self, item: Record) -> bool:
        """Whether a fact is new: neither there already nor said above it in the file."""
        number = self.known.find(item)
        if number is not None:
            if item.number is not None and item.number not in self.numbers.new:
                self.numbers.of_file.setdefault(item.number, number)
        elif item.state is State.IN_FORCE and item.hashed in self._in_force:
            self._is_new(item, self._in_force[item.hashed])
        else:
            self.fresh.append(item)
            self._is_new(item, item)
            if item.state is State.IN_FORCE:
                self._in_force[item.hashed] = item
            return True
        return False

    def give_numbers(self, numbers: Sequence[int]) -> None:
        """New numbers, in the order of the file."""
        for item, number in zip(self.fresh, numbers, strict=True):
            self.numbers.of_line[item.line] = number

    def order(self, warnings: list[Remark]) -> None:
        """Put what replaced a fact before it, so that wherever an import stops no link leads nowhere."""
        by_line = {item.line: item for item in self.fresh}
        new = {number: by_line[line] for number, line in self.numbers.new.items()}
        named = {*self.numbers.new, *self.numbers.of_file}
        depth: dict[int, int] = {}
        for item in self.fresh:
            path: dict[int, Record] = {}
            step: Record | None = item
            while step is not None and step.line not in depth:
                if step.line in path:
                    self._cut(next(reversed(path)), "it replaces itself by way of others: no link", warnings)
                    step = None
                    break
                path[step.line] = step
                if step.replaced_by is not None and step.replaced_by not in named:
                    self._cut(step.line, "what replaced it is not in the file", warnings)
                    break
                step = None if step.replaced_by is None else new.get(step.replaced_by)
            start = depth[step.line] + 1 if step is not None and step.line in depth else 0
            for above, line in enumerate(reversed(path), start):
                depth[line] = above
        self.ordered = sorted(self.fresh, key=lambda item: (depth[item.line], item.line))

    def _cut(self, line: int, reason: str, warnings: list[Remark]) -> None:
        self.numbers.loose.add(line)
        warnings.append(Remark(line, reason))

    def _is_new(self, item: Record, first: Record) -> None:
        if item.number is not None and item.number not in self.numbers.of_file:
            self.numbers.new.setdefault(item.number, first.line)


def _count(report: FactsReport, item: Record) -> None:
    report.created += 1
    report.retired += item.state is State.RETIRED
    report.trashed += item.state is State.TRASHED


def _warn(report: FactsReport, item: Record) -> None:
    kinds = secret_kinds(item.key, item.content, item.category, item.author)
    if kinds:
        said = ", ".join(kind.replace("_", " ") for kind in kinds)
        report.warnings.append(Remark(item.line, f"it looks like it holds a secret ({said})"))


def _batches(items: Sequence[Record]) -> Iterator[Sequence[Record]]:
    for start in range(0, len(items), BATCH):
        yield items[start : start + BATCH]
