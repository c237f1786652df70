"""F1 to F10: a fact from its writing to its purge, on both engines."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from souvenance.application import Application
from souvenance.domain.access import Actor, Source
from souvenance.domain.errors import (
    Conflict,
    InvalidInput,
    NotAllowed,
    NotFound,
    SecretRefused,
    StaleVersion,
    TooLarge,
)
from souvenance.domain.fact import Action, Fact, Sort, State, SubjectKind
from souvenance.domain.vault import MemoryType, Vault, VaultKind
from souvenance.memory.remember import Observation
from souvenance.store import check

SECRET = "the deploy token is ghp_0123456789abcdefghijABCDEFGHIJ012345"


@pytest.fixture
def vault(app: Application, owner: Actor) -> Vault:
    return app.vaults.create(actor=owner, name="Serveur rétro", kind=VaultKind.SERVER)


@pytest.fixture
def model(app: Application) -> Actor:
    return app.owner_through(Source.BOT, is_model=True, name="bot")


def keep(app: Application, owner: Actor, content: str, vault: str = "serveur-retro", **values: object) -> Fact:
    observation = Observation(content=content, **values)  # type: ignore[arg-type]
    (done,) = app.facts.remember(actor=owner, vault=vault, observations=[observation])
    return done.fact


def contents(app: Application, owner: Actor, **asked: object) -> list[str]:
    page = app.facts.browse(actor=owner, vault="serveur-retro", **asked)  # type: ignore[arg-type]
    return [item.content for item in page.facts]


# --- F3: the list ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "found"),
    [("ÉTÉ", 1), ("ete", 1), ("niversair", 1), ("bot_TONE", 1), ("100%", 1), ("0_", 0), ("", 3), ("rien du tout", 0)],
)
def test_f3_a_part_of_key_or_content_finds_case_and_accents_aside(
    app: Application, owner: Actor, vault: Vault, query: str, found: int
) -> None:
    keep(app, owner, "Le tournoi d’été est à 100% en ligne.")
    keep(app, owner, "L’anniversaire de Paul est le 3 mai.", subject_kind=SubjectKind.MEMBER, subject_id="7")
    keep(app, owner, "Amical et concis.", key="bot_tone")
    page = app.facts.browse(actor=owner, vault=vault.slug, query=query)
    assert len(page.facts) == page.total == found


def test_f3_states_totals_sort_and_pages(app: Application, owner: Actor, vault: Vault) -> None:
    numbers = [
        keep(app, owner, f"fact {place}", key=f"k{9 - place}", importance=place + 1).number for place in range(6)
    ]
    app.facts.retire(actor=owner, number=numbers[0], version=None, reason="old")
    app.facts.delete(actor=owner, number=numbers[1])
    page = app.facts.browse(actor=owner, vault=vault.slug, limit=3)
    assert (page.total, dict(page.by_state)) == (4, {State.IN_FORCE: 4, State.RETIRED: 1, State.TRASHED: 1})
    assert [item.number for item in page.facts] == numbers[5:2:-1]
    assert contents(app, owner, states=[State.RETIRED]) == ["fact 0"]
    both = app.facts.browse(actor=owner, vault=vault.slug, states=[State.IN_FORCE, State.RETIRED])
    assert both.total == len(both.facts) == 5
    assert contents(app, owner, sort=Sort.KEY, descending=False, limit=2) == ["fact 5", "fact 4"]
    assert contents(app, owner, sort=Sort.IMPORTANCE, limit=1) == ["fact 5"]
    assert contents(app, owner, sort=Sort.NUMBER, descending=False, offset=3) == ["fact 5"]
    for bad in ({"limit": 0}, {"offset": -1}):
        with pytest.raises(InvalidInput):
            app.facts.browse(actor=owner, vault=vault.slug, **bad)


def test_f1_as_of_shows_what_was_in_force_then_in_the_words_of_then(
    app: Application, owner: Actor, vault: Vault, clock: Callable[[], object]
) -> None:
    first = keep(app, owner, "Le thème est le rétro.")
    early = clock.now  # type: ignore[attr-defined]
    clock.now += timedelta(days=10)  # type: ignore[attr-defined]
    app.facts.edit(actor=owner, number=first.number, content="Le thème est la science-fiction.")
    other = keep(app, owner, "Le salon est ouvert.")
    middle = clock.now  # type: ignore[attr-defined]
    clock.now += timedelta(days=10)  # type: ignore[attr-defined]
    app.facts.retire(actor=owner, number=first.number, version=None, reason="fini")
    app.facts.delete(actor=owner, number=other.number)
    late = clock.now  # type: ignore[attr-defined]
    clock.now += timedelta(days=10)  # type: ignore[attr-defined]
    app.facts.restore(actor=owner, number=first.number)
    assert contents(app, owner, as_of=early) == ["Le thème est le rétro."]
    assert sorted(contents(app, owner, as_of=middle)) == ["Le salon est ouvert.", "Le thème est la science-fiction."]
    assert contents(app, owner, as_of=late) == []
    retired = app.facts.browse(actor=owner, vault=vault.slug, as_of=late, states=[State.RETIRED])
    assert [(item.content, item.reason) for item in retired.facts] == [("Le thème est la science-fiction.", "fini")]
    assert contents(app, owner) == ["Le thème est la science-fiction."]
    assert contents(app, owner, as_of=early - timedelta(days=1)) == []
    with pytest.raises(InvalidInput, match="time zone"):
        app.facts.browse(actor=owner, vault=vault.slug, as_of=early.replace(tzinfo=None))


# --- F3: editing and moving --------------------------------------------------------------------------------------


def test_f3_every_field_is_edited_and_another_category_is_another_page(
    app: Application, owner: Actor, vault: Vault
) -> None:
    fact = keep(app, owner, "Paul aime le thé.", importance=4)
    changed = app.facts.edit(
        actor=owner, number=fact.number, version=fact.version, content="Paul aime le café.", key="boisson",
        confidence=0.4, no_importance=True, category="goûts", subject_kind=SubjectKind.MEMBER, subject_id="77",
        channel="accueil", author="Zoé", language="fr", said_at="2023-05-01",
    )  # fmt: skip
    assert changed.version == 2
    assert (changed.number, changed.created_at) == (fact.number, fact.created_at)
    assert (changed.confidence, changed.importance, changed.subject_id) == (0.4, None, "77")
    assert (changed.channel, changed.author, changed.language, changed.said_at) == (
        "accueil",
        "Zoé",
        "fr",
        "2023-05-01",
    )
    assert changed.note_id != fact.note_id
    assert app.facts.get(actor=owner, number=fact.number) == changed
    assert [item.number for item in app.notes.get(actor=owner, ref=changed.note_id).facts] == [fact.number]
    assert app.notes.get(actor=owner, ref=fact.note_id).facts == ()
    with pytest.raises(StaleVersion):
        app.facts.edit(actor=owner, number=fact.number, version=1, content="Paul aime l’eau.")


@pytest.mark.parametrize(
    "values",
    [{"confidence": 2}, {"confidence": -0.1}, {"importance": 11}, {"importance": 0}, {"content": "  \n "}],
)
def test_f1_values_out_of_range_are_refused_and_nothing_changes(
    app: Application, owner: Actor, vault: Vault, values: dict[str, object]
) -> None:
    fact = keep(app, owner, "Un fait.")
    with pytest.raises(InvalidInput):
        app.facts.edit(actor=owner, number=fact.number, **values)  # type: ignore[arg-type]
    assert app.facts.get(actor=owner, number=fact.number) == fact
    with pytest.raises(InvalidInput):
        keep(app, owner, **({"content": "Autre fait."} | values))  # type: ignore[arg-type]


def test_f1_a_content_of_100_kib_is_refused_with_the_limit(app: Application, owner: Actor, vault: Vault) -> None:
    with pytest.raises(TooLarge) as refused:
        keep(app, owner, "x" * 100 * 1024)
    assert refused.value.details["limit"] == 64 * 1024
    assert contents(app, owner) == []


def test_f3_a_moved_fact_keeps_number_words_and_history_and_leaves_its_vault(
    app: Application, owner: Actor, model: Actor, vault: Vault
) -> None:
    other = app.vaults.create(actor=owner, name="Autre", kind=VaultKind.SERVER)
    fact = keep(app, owner, "Le code du portail est affiché.", key="portail")
    app.facts.edit(actor=owner, number=fact.number, content="Le code du portail n’est plus affiché.")
    moved = app.facts.move(actor=owner, number=fact.number, vault="autre")
    assert (moved.number, moved.vault_id, moved.key) == (fact.number, other.id, "portail")
    assert contents(app, owner) == []
    assert [r.operation for r in app.history.of_fact(actor=owner, number=fact.number)] == ["move", "edit", "remember"]
    assert [hit.vault for hit in app.retrieval.search(actor=owner, query="portail").hits] == ["autre"]
    assert app.facts.browse(actor=owner, vault="autre", query="portail").total == 1
    with pytest.raises(Conflict):
        app.facts.move(actor=owner, number=fact.number, vault="autre")
    with pytest.raises(NotAllowed):
        app.facts.move(actor=model, number=fact.number, vault=vault.slug)
    with pytest.raises(NotFound):
        app.facts.move(actor=owner, number=fact.number, vault="nulle part")


# --- T2, F9: ending and coming back ------------------------------------------------------------------------------


def test_t2_what_cannot_replace_is_refused(app: Application, owner: Actor, vault: Vault) -> None:
    app.vaults.create(actor=owner, name="Autre", kind=VaultKind.SERVER)
    one, two = keep(app, owner, "Un."), keep(app, owner, "Deux.")
    foreign = keep(app, owner, "Trois.", vault="autre")
    for number in (foreign.number, one.number):
        with pytest.raises(Conflict):
            app.facts.retire(actor=owner, number=one.number, version=None, reason="r", replaced_by=number)
    with pytest.raises(InvalidInput):
        app.facts.retire(
            actor=owner, number=one.number, version=None, reason="r", replaced_by=two.number, replacement="Quatre."
        )
    ended, successor = app.facts.retire(
        actor=owner, number=one.number, version=None, reason="r", replaced_by=two.number
    )
    assert successor is not None
    assert (ended.replaced_by, successor.number, ended.state) == (two.number, two.number, State.RETIRED)
    with pytest.raises(Conflict):  # a circle of replacements
        app.facts.retire(actor=owner, number=two.number, version=None, reason="r", replaced_by=one.number)
    with pytest.raises(Conflict):  # twice
        app.facts.retire(actor=owner, number=one.number, version=None, reason="again")
    assert app.facts.get(actor=owner, number=two.number).state is State.IN_FORCE


def test_t2_restoring_leaves_the_replacement_alone_and_purged_is_gone(
    app: Application, owner: Actor, vault: Vault
) -> None:
    one = keep(app, owner, "Le serveur est anglophone.")
    _, new = app.facts.retire(
        actor=owner, number=one.number, version=None, reason="changé", replacement="Le serveur est francophone."
    )
    assert new is not None
    app.facts.restore(actor=owner, number=one.number)
    assert sorted(contents(app, owner)) == ["Le serveur est anglophone.", "Le serveur est francophone."]
    app.facts.delete(actor=owner, number=one.number)
    with pytest.raises(Conflict):
        app.facts.delete(actor=owner, number=one.number)
    app.facts.purge(actor=owner, number=one.number)
    with pytest.raises(NotFound):
        app.facts.restore(actor=owner, number=one.number)


def test_f3_bulk_does_what_it_can_and_says_what_it_could_not(
    app: Application, owner: Actor, model: Actor, vault: Vault
) -> None:
    app.vaults.create(actor=owner, name="Autre", kind=VaultKind.SERVER)
    numbers = [keep(app, owner, f"fait {place}").number for place in range(5)]
    app.facts.delete(actor=owner, number=numbers[0])
    done = app.bulk.apply(actor=owner, numbers=[*numbers, 999_999], action=Action.RETIRE, reason="vieux")
    assert done.done == tuple(numbers[1:])
    assert [(item.number, item.code) for item in done.refused] == [(numbers[0], "conflict"), (999_999, "not_found")]
    assert app.bulk.apply(actor=owner, numbers=numbers, action=Action.RESTORE).done == tuple(numbers)
    edited = app.bulk.apply(actor=owner, numbers=numbers, action=Action.EDIT, confidence=0.5, importance=8)
    assert edited.done == tuple(numbers)
    assert {app.facts.get(actor=owner, number=one).confidence for one in numbers} == {0.5}
    assert app.bulk.apply(actor=owner, numbers=numbers[:2], action=Action.MOVE, vault="autre").done
    assert app.facts.browse(actor=owner, vault="autre").total == 2
    assert app.bulk.apply(actor=owner, numbers=numbers, action=Action.DELETE).done == tuple(numbers)
    assert app.bulk.apply(actor=owner, numbers=numbers[2:], action=Action.PURGE).done == tuple(numbers[2:])
    assert app.facts.browse(actor=owner, vault=vault.slug, states=list(State)).total == 0
    with pytest.raises(InvalidInput):
        app.bulk.apply(actor=owner, numbers=numbers, action=Action.MOVE)
    with pytest.raises(InvalidInput):
        app.bulk.apply(actor=owner, numbers=[], action=Action.DELETE)
    with pytest.raises(NotAllowed):
        app.bulk.apply(actor=model, numbers=numbers, action=Action.DELETE)


def test_f9_the_trash_of_a_vault_is_listed_and_emptied_by_a_person_only(
    app: Application, owner: Actor, model: Actor, vault: Vault
) -> None:
    kept, gone = keep(app, owner, "gardé"), keep(app, owner, "jeté")
    app.facts.delete(actor=owner, number=gone.number)
    assert contents(app, owner, states=[State.TRASHED]) == ["jeté"]
    with pytest.raises(NotAllowed):
        app.bulk.empty_trash(actor=model, vault=vault.slug)
    assert app.bulk.empty_trash(actor=owner, vault=vault.slug) == 1
    assert app.facts.get(actor=owner, number=kept.number).state is State.IN_FORCE
    with pytest.raises(NotFound):
        app.facts.get(actor=owner, number=gone.number)
    assert app.history.audit(actor=owner)[0].verb == "fact.purge"


# --- F8: secrets, whichever way in -------------------------------------------------------------------------------


def test_f8_no_way_lets_a_model_write_a_secret_and_the_secret_is_not_repeated(
    app: Application, owner: Actor, model: Actor, vault: Vault
) -> None:
    fact = keep(app, owner, "Un fait.")
    note = app.notes.create(actor=owner, vault=vault.slug, title="Doc", content="Bonjour.")
    said = Observation(content=SECRET)
    ways: list[Callable[[], object]] = [
        lambda: app.facts.remember(actor=model, vault=vault.slug, observations=[said]),
        lambda: app.facts.remember(
            actor=model, vault=vault.slug, observations=[Observation(content="Un autre fait.")], digest=SECRET
        ),
        lambda: app.facts.remember_about_user(actor=model, observation=said),
        lambda: app.facts.remember_about_project(actor=model, project=vault.slug, observation=said),
        lambda: app.facts.edit(actor=model, number=fact.number, content=SECRET),
        lambda: app.facts.edit(actor=model, number=fact.number, author=SECRET),
        lambda: app.facts.retire(actor=model, number=fact.number, version=1, reason="r", replacement=SECRET),
        lambda: app.facts.retire(actor=model, number=fact.number, version=1, reason=SECRET),
        lambda: app.notes.create(actor=model, vault=vault.slug, title="Autre", content=SECRET),
        lambda: app.notes.edit(actor=model, ref=note.id, operation="append", content=SECRET),
        lambda: app.notes.edit(actor=model, ref=note.id, operation="find_replace", find="Bonjour.", content=SECRET),
        lambda: app.notes.set_digest(actor=model, ref=note.id, digest=SECRET),
        lambda: app.notes.edit(actor=model, ref=fact.note_id, operation="append", content=f"- {SECRET}"),
        lambda: app.notes.edit(
            actor=model, ref=fact.note_id, operation="find_replace", find="Un fait.", content=SECRET
        ),
        lambda: app.notes.edit(actor=model, ref=fact.note_id, operation="replace", content=f"- {SECRET}"),
    ]
    for place, way in enumerate(ways):
        with pytest.raises(SecretRefused) as refused:
            way()
        assert "ghp_" not in f"{refused.value}{refused.value.as_dict()}", place
        assert refused.value.details["kinds"], place
    with pytest.raises(SecretRefused):
        app.facts.remember(actor=model, vault=vault.slug, observations=[Observation(content="x", key=SECRET)])
    assert contents(app, owner) == ["Un fait."]
    assert app.notes.get(actor=owner, ref=note.id).note.content == "Bonjour."


def test_f8_a_person_is_warned_and_not_refused(app: Application, owner: Actor, vault: Vault) -> None:
    (done,) = app.facts.remember(actor=owner, vault=vault.slug, observations=[Observation(content=SECRET)])
    assert done.secrets
    assert "ghp_" not in str(done.secrets)
    (plain,) = app.facts.remember(actor=owner, vault=vault.slug, observations=[Observation(content="Du thé.")])
    assert plain.secrets == ()


def test_f8_a_model_may_still_correct_around_a_secret_a_person_wrote(
    app: Application, owner: Actor, model: Actor, vault: Vault
) -> None:
    fact = keep(app, owner, SECRET)
    app.facts.edit(actor=model, number=fact.number, content=f"{SECRET}, since May")
    app.facts.retire(actor=model, number=fact.number, version=2, reason="revoked")
    assert contents(app, owner) == []


# --- F5 and the settings -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [
        {"max_injected": 0}, {"max_injected": 1001}, {"max_injected": 2.5}, {"max_injected": True},
        {"recency": -1}, {"relevance": 11}, {"importance": "much"}, {"time_zone": "Mars/Olympus"}, {"colour": "red"},
    ],
)  # fmt: skip
def test_f5_settings_out_of_range_are_refused(
    app: Application, owner: Actor, vault: Vault, changes: dict[str, object]
) -> None:
    with pytest.raises(InvalidInput):
        app.vaults.change_settings(actor=owner, vault=vault.slug, changes=changes)
    assert app.vaults.get(actor=owner, vault=vault.slug).settings == {}


def test_f5_settings_are_kept_audited_and_given_back(
    app: Application, owner: Actor, model: Actor, vault: Vault
) -> None:
    app.vaults.change_settings(actor=owner, vault=vault.slug, changes={"max_injected": 1000, "recency": 0})
    after = app.vaults.change_settings(actor=owner, vault=vault.slug, changes={"max_injected": None})
    assert after.settings == {"recency": 0}
    entry = app.history.audit(actor=owner)[1]
    assert (entry.verb, entry.details["changed"]) == ("vault.settings", {"max_injected": 1000, "recency": 0})
    for refused in (
        lambda: app.vaults.change_settings(actor=model, vault=vault.slug, changes={"max_injected": 1}),
        lambda: app.vaults.change_type(actor=model, vault=vault.slug, memory_type=MemoryType.JOURNAL),
    ):
        with pytest.raises(NotAllowed):
            refused()


def test_f10_the_zone_of_a_vault_says_what_yesterday_means(
    app: Application, owner: Actor, vault: Vault, clock: Callable[[], object]
) -> None:
    clock.now = clock.now.replace(hour=23, minute=30)  # type: ignore[attr-defined]
    before = keep(app, owner, "On a joué hier.", language="fr")
    app.vaults.change_settings(actor=owner, vault=vault.slug, changes={"time_zone": "Europe/Paris"})
    after = keep(app, owner, "On a chanté hier.", language="fr")
    assert [item.said_dates[0].resolved for item in (before, after)] == ["2023-05-07", "2023-05-08"]


def test_14_facts_are_kept_as_said_in_their_language(app: Application, owner: Actor, vault: Vault) -> None:
    fact = keep(app, owner, "他喜欢喝茶，不喜欢咖啡。")
    assert app.facts.get(actor=owner, number=fact.number).content == "他喜欢喝茶，不喜欢咖啡。"
    assert contents(app, owner, query="喝茶") == ["他喜欢喝茶，不喜欢咖啡。"]


def test_1_deleting_in_one_vault_leaves_the_same_words_in_another(app: Application, owner: Actor, vault: Vault) -> None:
    app.vaults.create(actor=owner, name="Autre", kind=VaultKind.SERVER)
    here, there = keep(app, owner, "Le thé est prêt."), keep(app, owner, "Le thé est prêt.", vault="autre")
    app.facts.delete(actor=owner, number=here.number)
    app.facts.purge(actor=owner, number=here.number)
    assert app.facts.get(actor=owner, number=there.number) == there
    assert [hit.number for hit in app.retrieval.search(actor=owner, query="thé prêt").hits] == [there.number]


def test_t2_going_back_to_an_older_state_makes_no_circle_of_replacements(
    app: Application, owner: Actor, vault: Vault
) -> None:
    one, two = keep(app, owner, "Un."), keep(app, owner, "Deux.")
    app.facts.retire(actor=owner, number=one.number, version=None, reason="r", replaced_by=two.number)
    then = app.history.of_fact(actor=owner, number=one.number)[0].change_id
    app.facts.restore(actor=owner, number=one.number)
    app.facts.retire(actor=owner, number=two.number, version=None, reason="r", replaced_by=one.number)
    back = app.history.restore(actor=owner, ref=one.number, change_id=then)
    assert isinstance(back, Fact)
    assert (back.state, back.reason, back.replaced_by) == (State.RETIRED, "r", None)


def test_20_rewriting_a_key_counts_once_against_the_limit(app: Application, owner: Actor, vault: Vault) -> None:
    app.vaults.change_settings(actor=owner, vault=vault.slug, changes={"max_injected": 2})
    one, two = keep(app, owner, "Un.", key="a"), keep(app, owner, "Deux.", key="b")
    for key in ("c", "d", "a", "b"):
        app.facts.edit(actor=owner, number=one.number, key=key)
    given = app.ladder.given_to_prompt(actor=owner, vault=vault.slug, message="x")
    assert [item.fact.number for item in given.facts] == [one.number, two.number]
    assert app.facts.browse(actor=owner, vault=vault.slug).total == 2


def test_19_a_date_keeps_the_precision_it_was_given(app: Application, owner: Actor, vault: Vault) -> None:
    fact = keep(app, owner, "Le serveur existe depuis 2019.", language="fr")
    edited = app.facts.edit(actor=owner, number=fact.number, content="Le serveur existe depuis mars 2019.")
    dates = [item.said_dates[0].resolved for item in (fact, edited) if item.said_dates]
    assert not any(date.endswith("-01") for date in dates)


def test_v14_a_fact_filed_on_a_disabled_page_is_out_of_every_retrieval(
    app: Application, owner: Actor, vault: Vault
) -> None:
    one, two, three = app.facts.remember(
        actor=owner,
        vault=vault.slug,
        observations=[Observation(content=f"zebra {word}", category=word) for word in ("one", "two", "three")],
    )
    app.notes.disable(actor=owner, ref=one.note_id, disabled=True)
    app.facts.edit(actor=owner, number=two.fact.number, category="one")
    found = [hit.number for hit in app.retrieval.search(actor=owner, query="zebra").hits]
    assert found == [three.fact.number]


def test_f3_another_language_brings_other_stems(app: Application, owner: Actor, vault: Vault) -> None:
    said = [Observation(content="les chevaux mangeaient", language="en")]
    number = app.facts.remember(actor=owner, vault=vault.slug, observations=said)[0].fact.number
    app.facts.edit(actor=owner, number=number, language="fr")
    with app.database.read() as tx:
        assert check.outdated_terms(tx) == []
    assert [hit.number for hit in app.retrieval.search(actor=owner, query="mangeaient").hits] == [number]


def test_a4_what_a_model_deletes_through_a_page_is_audited_on_classic(
    app: Application, owner: Actor, vault: Vault
) -> None:
    app.vaults.change_type(actor=owner, vault=vault.slug, memory_type=MemoryType.CLASSIC)
    said = [Observation(content="one"), Observation(content="two")]
    kept = app.facts.remember(actor=owner, vault=vault.slug, observations=said)
    number = kept[0].fact.number
    model = app.owner_through(Source.AGENT, is_model=True, name="bot")
    app.notes.edit(actor=model, ref=kept[0].note_id, operation="find_replace", find=f"- one ^{number}\n", content="")
    assert app.facts.get(actor=owner, number=number).state is State.TRASHED
    (entry,) = [item for item in app.history.audit(actor=owner) if item.verb == "fact.delete"]
    assert (entry.who, entry.details["numbers"]) == ("bot", [number])


def test_f3_facts_of_all_vaults_stand_in_one_order(app: Application, owner: Actor, vault: Vault) -> None:
    app.vaults.create(actor=owner, name="Autre")
    for number in range(6):
        keep(app, owner, f"zebra {number}", "autre" if number % 2 else vault.slug)
    shown = app.facts.browse(actor=owner, vault=None, query="zebra", limit=3, offset=1)
    assert ([item.content for item in shown.facts], shown.total) == (["zebra 4", "zebra 3", "zebra 2"], 6)
    first = app.facts.browse(actor=owner, vault=None, sort=Sort.NUMBER, descending=False, limit=2)
    assert [item.content for item in first.facts] == ["zebra 0", "zebra 1"]
    assert first.by_state[State.IN_FORCE] == 6
    beyond = app.facts.browse(actor=owner, vault=None, offset=200_000)
    assert (beyond.facts, beyond.total) == ((), 6)


def test_v14_n10_a_model_hides_nothing(app: Application, owner: Actor, model: Actor, vault: Vault) -> None:
    fact = keep(app, owner, "zebra")
    for hide in (
        lambda: app.notes.disable(actor=model, ref=fact.note_id, disabled=True),
        lambda: app.notes.mute(actor=model, ref=fact.note_id, muted=True),
        lambda: app.map.set_disabled(actor=model, node=f"note:{fact.note_id}", disabled=True),
        lambda: app.map.set_disabled(actor=model, node=f"fact:{fact.number}", disabled=True),
    ):
        with pytest.raises(NotAllowed, match="person"):
            hide()
    assert [hit.number for hit in app.retrieval.search(actor=owner, query="zebra").hits] == [fact.number]
