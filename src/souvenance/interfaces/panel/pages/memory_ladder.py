"""The ladder above a vault's memory: where it stands, six cards, what another step would shift, the choice (T7, T8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from souvenance.domain.access import Route
from souvenance.domain.endpoint import Use
from souvenance.domain.errors import InvalidInput, NotFound
from souvenance.domain.vault import MemoryType, Vault
from souvenance.domain.vault_settings import settings_of
from souvenance.interfaces.panel.marking import marked as _
from souvenance.interfaces.panel.vault_words import STEPS
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, post
from souvenance.models.embedder import is_endpoint
from souvenance.retrieval.matching import Matching

PAGE = "memory_ladder.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """One step as its card tells it; `cost` of the last one is completed by where texts go."""

    memory_type: MemoryType
    name: str
    does: str
    changes: str
    cost: str
    more: str


RUNGS = (
    Rung(
        memory_type=MemoryType.CLASSIC,
        name=STEPS[MemoryType.CLASSIC],
        does=_("A flat list: the facts changed last are given to the model."),
        changes=_("A fact that the model retires goes to the trash, from which you restore it."),
        cost=_("Nothing."),
        more=_("Simple and predictable. It suits a vault of few facts, where all of them fit in a question."),
    ),
    Rung(
        memory_type=MemoryType.JOURNAL,
        name=STEPS[MemoryType.JOURNAL],
        does=_("What stops being true is kept, with its date, the reason and what replaces it."),
        changes=_("The model may also replace a fact: the old wording is kept, never destroyed."),
        cost=_("Nothing."),
        more=_(
            "Retired facts leave what the model is given and stay readable here, under “Retired”. One click "
            "brings one back."
        ),
    ),
    Rung(
        memory_type=MemoryType.ARCHIVE,
        name=STEPS[MemoryType.ARCHIVE],
        does=_("The model may look up by name what it was not given, once a question."),
        changes=_("Facts beyond the limit of a question stay within reach."),
        cost=_("One extra call, when it looks something up."),
        more=_(
            "It searches every fact in force of this vault, never retired ones, and only where memory may be "
            "read. What it finds can be corrected like what it was shown."
        ),
    ),
    Rung(
        memory_type=MemoryType.RANKED,
        name=STEPS[MemoryType.RANKED],
        does=_("Places go to the most useful facts: recent, important, relevant to what is being said."),
        changes=_("An order, never a filter: what misses its place is a candidate again at the next message."),
        cost=_("Nothing."),
        more=_(
            "Three weights per vault set the balance; confidence only lowers. The model scores importance as it "
            "writes, so it fills in by itself."
        ),
    ),
    Rung(
        memory_type=MemoryType.CONSOLIDATED,
        name=STEPS[MemoryType.CONSOLIDATED],
        does=_(
            "While the vault is quiet, a pass finds what is said twice or contradicts itself, and drafts a summary."
        ),
        changes=_("Nothing is applied by itself: you answer each proposal, and a merge can be restored."),
        cost=_("Nothing, unless you give passes a model of their own: then its calls, in the background."),
        more=_(
            "A pass runs once a day at most, and says why it ran or declined. Contradictions are shown to you, "
            "never merged."
        ),
    ),
    Rung(
        memory_type=MemoryType.SEMANTIC,
        name=STEPS[MemoryType.SEMANTIC],
        does=_("Look-ups and places go by meaning: a fact need not share a word with what is said."),
        changes=_("Until every wording is embedded, words go on serving, and each answer says which of the two ran."),
        cost=_("One embedding per wording, and one per message of 12 characters or more."),
        more=_(
            "Another model means that everything is embedded again, in the background. Nothing else is lost meanwhile."
        ),
    ),
)
"""The six steps, the lowest first."""


def rungs(visit: Visit, vault: Vault) -> dict[str, Any]:
    """What the ladder shows of a vault."""
    state, why = visit.memory.ladder.state(actor=visit.actor, vault=vault.slug)
    return {
        "rungs": RUNGS,
        "rung": RUNGS[vault.memory_type.step - 1],
        "settings": settings_of(vault.settings),
        "models": models_of(visit, vault),
        "matching": visit.reason(why),
        "is_catching_up": state in {Matching.UNFINISHED, Matching.MODEL_CHANGED},
    }


def show_ladder(visit: Visit) -> Response:
    """The ladder with this vault's place on it; where the vault is gone, that, and what is typed stays."""
    try:
        found = _vault(visit)
    except NotFound:
        return visit.piece("pieces/memory_gone.html", "gone", place="ladder")
    return visit.piece("memory.html", "ladder", vault=found, **rungs(visit, found))


def show_cards(visit: Visit) -> Response:
    """Six cards side by side; the figures of each follow, asked for one by one."""
    found = _vault(visit)
    return visit.piece(PAGE, "cards", vault=found, rungs=RUNGS, goes=where_texts_go(visit))


def show_figures(visit: Visit) -> Response:
    """What moving this vault to a step would shift, in figures of its own (T8)."""
    found, step = _vault(visit), _step(visit.path["step"])
    simulated = visit.memory.simulations.simulate(actor=visit.actor, vault=found.slug, to=step, alone=True)
    return visit.piece(PAGE, "figures", vault=found, step=step.value, figures=simulated.figures[step])


def choose(visit: Visit) -> Response:
    """Put the vault on a step, at once; the one before is a click away."""
    before, step = _vault(visit), _step(visit.given("step") or visit.asked("step"))
    found = visit.memory.vaults.change_type(actor=visit.actor, vault=before.slug, memory_type=step)
    name = visit.say(RUNGS[step.step - 1].name)
    note = visit.note(
        visit.say("%(vault)s stands on %(step)s now. No fact was touched.", vault=visit.called(found), step=name),
        undo=f"/memory/{found.slug}/step?step={before.memory_type}" if before.memory_type is not step else "",
    )
    return visit.html(visit.block("memory.html", "ladder", vault=found, **rungs(visit, found)), note)


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """A model that serves the step of a vault: where it stands on the page of response settings, and which it is;
    `use` is what it is chosen for among the models of the machine's owner."""

    id: str
    name: str
    use: Use
    model: str
    says: str


def models_of(visit: Visit, vault: Vault) -> list[Serving]:
    """The models that go with the step of a vault: none below Consolidated (T7)."""
    memory, found = visit.memory, []
    if vault.memory_type.step >= MemoryType.CONSOLIDATED.step:
        chosen = memory.endpoints.used_for(user_id=memory.owner.id, use=Use.CONSOLIDATION)
        said = _("It looks at proposals a second time and drafts the summary.")
        none = _("None is set: every pair is found and proposed all the same, and what stays keeps its words.")
        found.append(
            Serving(
                id="pass-model",
                name=_("Model of the passes"),
                use=Use.CONSOLIDATION,
                model=chosen.model if chosen else "",
                says=visit.say(said if chosen else none),
            )
        )
    if vault.memory_type.step >= MemoryType.SEMANTIC.step:
        embedder = memory.embedding.embedder
        found.append(
            Serving(
                id="embedding-model",
                name=_("Embedding model"),
                use=Use.EMBEDDINGS,
                model=embedder.name if embedder else "",
                says=where_texts_go(visit),
            )
        )
    return found


def where_texts_go(visit: Visit) -> str:
    """Where texts would be embedded, in words; empty where no model is set."""
    embedder = visit.memory.embedding.embedder
    if embedder is None:
        return visit.say("No embedding model is set yet: words serve until there is one.")
    if not is_endpoint(embedder):
        return visit.say("They are made on this machine, by %(model)s.", model=embedder.name)
    if embedder.route is Route.LOCAL:
        return visit.say("They are made by %(model)s, at an address you declared local.", model=embedder.name)
    return visit.say("The texts are sent to %(model)s, elsewhere.", model=embedder.name)


def _vault(visit: Visit) -> Vault:
    return visit.memory.vaults.get(actor=visit.actor, vault=visit.path["vault"])


def _step(text: str) -> MemoryType:
    try:
        return MemoryType(text)
    except ValueError:
        raise InvalidInput("There is no such step.", hint="Load the page again.") from None


WAYS: tuple[Way, ...] = (
    get("/memory/{vault}/ladder", show_ladder),
    get("/memory/{vault}/steps", show_cards),
    get("/memory/{vault}/steps/{step}", show_figures),
    post("/memory/{vault}/step", choose),
)
