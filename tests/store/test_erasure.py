"""F7: what is erased is in no row and in no byte of the files, and nothing else is touched (CASES 1, 18, 23)."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import JSON, LargeBinary, Text, cast, select, text

from embedders import NgramEmbedder
from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.erasure import Proof, PurgeState
from souvenance.domain.errors import InvalidInput, NotAllowed, NotFound, Withheld
from souvenance.domain.fact import SubjectKind
from souvenance.domain.folder import FolderStatus
from souvenance.domain.vault import Protection
from souvenance.memory.remember import Observation
from souvenance.retrieval.answer import Matcher
from souvenance.settings import Settings
from souvenance.store import tables
from souvenance.store.columns import Vector
from souvenance.store.erasure import mentions
from souvenance.store.erasure.declared import HELD, KEPT, LOGS
from souvenance.store.retrievals import Retrieval as Entry
from souvenance.wiring import open_application

MEMBER = "281474976710656001"
SECRETS = [
    "Ghislaine préfère la harpe celtique",
    "zygomatique",
    "北京大学的校长喜欢竖琴",
    "l'été à Orléans, rue des Chênes",
    "quadrisyllabique",
    "ancienne formulation périmée",
    "Notebookington",
    "chapitre confidentiel",
    "étiquette-particulière",
    "salon-des-murmures",
    "Barnabé Quintefeuille",
    "corbeille-oubliée",
    "raison-inavouable",
    "où range-t-on la zygomatique",
    "dossier-suivi",
    "fichier-ingéré",
]
KEPT_FACT = "Le harpiste joue mardi au conservatoire"


@pytest.fixture
def app(store_url: str, clock: Callable[[], object]) -> Iterator[Application]:
    opened = open_application(Settings(database_url=store_url), clock=clock, embedder=NgramEmbedder())  # type: ignore[arg-type]
    yield opened
    opened.close()


def remember(app: Application, owner: Actor, vault: str, content: str, **given: object) -> int:
    kept = app.facts.remember(actor=owner, vault=vault, observations=[Observation(content=content, **given)])  # type: ignore[arg-type]
    return kept[0].fact.number


def fill(app: Application, owner: Actor, tmp_path: Path) -> None:
    """A vault with something of every kind, and another that must not notice."""
    for name in ("Harpe", "Lyre"):
        app.vaults.create(actor=owner, name=name)
    said = {"channel": "salon-des-murmures", "author": "Barnabé Quintefeuille"}
    remember(app, owner, "harpe", SECRETS[0], key="étiquette-particulière", **said)
    remember(app, owner, "harpe", f"Il dit {SECRETS[2]} encore", **said)
    edited = remember(app, owner, "harpe", f"Une {SECRETS[5]}")
    app.facts.edit(actor=owner, number=edited, content=f"Une {SECRETS[4]} nouvelle, {SECRETS[3]}")
    retired = remember(app, owner, "harpe", "Tout ceci passe [[Notebookington]]")
    app.facts.retire(actor=owner, number=retired, version=None, reason=SECRETS[12])
    trashed = remember(app, owner, "harpe", SECRETS[11])
    app.facts.delete(actor=owner, number=trashed)
    note = app.notes.create(
        actor=owner,
        vault="harpe",
        title=SECRETS[6],
        content=f"# {SECRETS[7]}\n\nLa zygomatique, voir [[Autre page]].",
        front_matter={"a": SECRETS[1]},
    )
    app.context.pin(actor=owner, ref=note.id)
    remember(app, owner, "lyre", KEPT_FACT)
    remember(app, owner, "lyre", SECRETS[0])  # the same words, another's own
    folder = tmp_path / "dossier-suivi"
    folder.mkdir()
    (folder / "fichier-ingéré.md").write_text("# Titre\n\nUn texte avec quadrisyllabique dedans.", encoding="utf-8")
    os.utime(folder / "fichier-ingéré.md", (1, 1))
    app.folders.watch(actor=owner, vault="harpe", path=folder, place="suivi")
    app.folders.scan(actor=owner, folder=str(folder))
    app.embedding.catch_up()
    app.retrieval.search(actor=owner, query=SECRETS[13])
    app.retrieval.search(actor=owner, query="harpiste mardi", matcher=Matcher.WORDS)
    app.retrievals.flush()


def in_the_files(app: Application, needle: str) -> bool:
    """Whether a text stands in any file of the store, as UTF-8 or as JSON; read by another process, for the locks."""
    path = str(app.database.url.database)
    names = [name for name in (path, f"{path}-wal", f"{path}-shm") if os.path.exists(name)]
    raw = subprocess.run(["cat", *names], capture_output=True, check=True).stdout
    return needle.encode() in raw or json.dumps(needle)[1:-1].encode() in raw


def in_a_row(app: Application, needle: str, *, but: str = "") -> list[str]:
    """The tables of which a row holds a text, read as the engine writes it out; `but` one table."""
    found = []
    with app.database.read() as tx:
        for table in tables.metadata.sorted_tables:
            for column in table.c:
                if isinstance(column.type, (Text, JSON, LargeBinary)) and not isinstance(column.type, Vector):
                    shown = column if isinstance(column.type, LargeBinary) else cast(column, Text)
                    for value in tx.execute(select(shown)).scalars():
                        said = bytes(value).decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
                        if needle in said or json.dumps(needle)[1:-1] in said:
                            found.append(table.name)
        if not tx.is_sqlite:
            words = " ".join(tx.execute(text("SELECT words::text FROM passage_words")).scalars())
            found += ["passage_words"] if f"_{needle}'" in words else []
    return [name for name in found if name != but]


def test_every_table_says_what_it_holds_and_every_column_of_words_is_named() -> None:
    declared = [held.table for held in HELD] + list(LOGS) + [kept.table for kept in KEPT]
    assert sorted(table.name for table in declared) == sorted(tables.metadata.tables)
    assert all(kept.why for kept in KEPT)
    for held in HELD:
        holds = {c.key for c in held.table.c if isinstance(c.type, (Text, JSON, LargeBinary, Vector))}
        assert set(held.words) | set(held.plain) == holds, held.table.name
        assert not set(held.words) & set(held.plain)


def test_f7_an_erased_vault_is_in_no_row_and_no_byte_and_learns_again(
    app: Application, owner: Actor, tmp_path: Path
) -> None:
    fill(app, owner, tmp_path)
    lyre = app.facts.list(actor=owner, vault="lyre")
    for secret in SECRETS:
        assert in_a_row(app, secret), secret
    before = app.erasures.preview(actor=owner, vault="harpe")
    done = app.erasures.erase(actor=owner, vault="harpe", confirm="Harpe")
    (receipt,) = done.receipts
    assert (receipt.state, receipt.why, receipt.folders_suspended) == (PurgeState.DONE, "", 1)
    assert receipt.proof is (Proof.BYTES if app.database.is_sqlite else Proof.ROWS)
    (foretold,) = before.vaults
    assert {**receipt.counts, "retrievals": 0} == {**foretold.counts, "retrievals": 0}
    for kind in ("facts", "facts_retired", "facts_trashed", "notes", "revisions", "passages", "words", "vectors",
                 "links", "files", "pins", "retrievals"):  # fmt: skip
        assert receipt.counts[kind] > 0, kind
    for secret in SECRETS[1:]:
        allowed = "watched_folder" if secret == "dossier-suivi" else ""
        assert in_a_row(app, secret, but=allowed) == [], secret
        if app.database.is_sqlite and not allowed:
            assert not in_the_files(app, secret), secret
    # CASES 1: the same words in another vault are untouched, and still found.
    assert app.facts.list(actor=owner, vault="lyre") == lyre
    assert {
        hit.vault for hit in app.retrieval.search(actor=owner, query="harpe celtique", matcher=Matcher.WORDS).hits
    } == {"lyre"}
    assert app.retrieval.search(actor=owner, query="zygomatique quadrisyllabique", matcher=Matcher.WORDS).hits == ()
    assert "harpiste mardi" in [item.query for item in app.retrievals.list(actor=owner)]
    assert [view.folder.status for view in app.folders.list(actor=owner)] == [FolderStatus.SUSPENDED]
    # The audit says who, when and how many.
    entry = next(item for item in app.history.audit(actor=owner) if item.verb == "erase.vault")
    assert (entry.vault, entry.details["counts"]) == ("harpe", receipt.counts)
    again = remember(app, owner, "harpe", "Un nouveau fait")
    assert app.facts.get(actor=owner, number=again).content == "Un nouveau fait"


def test_f7_the_dry_run_changes_nothing(app: Application, owner: Actor, tmp_path: Path) -> None:
    fill(app, owner, tmp_path)
    first = app.erasures.preview(actor=owner, vault="harpe")
    assert app.erasures.preview(actor=owner, vault="harpe") == first
    assert first.total["facts"] == 3
    assert app.erasures.receipts(actor=owner) == []


def member_facts(app: Application, owner: Actor) -> None:
    for name in ("Harpe", "Lyre"):
        app.vaults.create(actor=owner, name=name)
    about = {"subject_kind": SubjectKind.MEMBER, "subject_id": MEMBER, "channel": "salon", "author": "Quintefeuille"}
    other = {"channel": "salon", "author": "Marguerite"}
    remember(app, owner, "harpe", "Joue du hurdy-gurdyphone le jeudi", **about)
    remember(app, owner, "harpe", "Répond à la question d'avant", **other)
    remember(app, owner, "lyre", "Mange des topinambours confits", category="goûts-alimentaires", **about)
    remember(app, owner, "lyre", "Marguerite a vu Quintefeuille au marché", **other)
    remember(app, owner, "lyre", "La lyre a sept cordes")
    app.embedding.catch_up()
    app.retrieval.search(actor=owner, query="que mange Quintefeuille")
    app.retrieval.search(actor=owner, query="cordes lyre", matcher=Matcher.WORDS)
    app.retrievals.flush()


def test_f7_a_member_is_erased_in_every_vault_and_mentions_are_listed(app: Application, owner: Actor) -> None:
    member_facts(app, owner)
    done = app.erasures.erase(actor=owner, member=MEMBER, confirm=MEMBER)
    assert {receipt.vault: receipt.counts["facts"] for receipt in done.receipts} == {"harpe": 1, "lyre": 1}
    assert all(receipt.state is PurgeState.DONE for receipt in done.receipts)
    # What followed in the channel was embedded together with the member's words: that vector went too.
    harpe = next(receipt for receipt in done.receipts if receipt.vault == "harpe")
    assert harpe.counts["vectors"] == 2
    for gone in (MEMBER, "hurdy-gurdyphone", "topinambours", "goûts-alimentaires", "que mange Quintefeuille"):
        assert in_a_row(app, gone) == [], gone
        if app.database.is_sqlite:
            assert not in_the_files(app, gone), gone
    ((mention),) = done.mentions
    assert (mention.vault, mention.name, "vu Quintefeuille" in mention.says) == ("lyre", "Quintefeuille", True)
    assert app.facts.get(actor=owner, number=mention.fact or 0).content.startswith("Marguerite a vu")
    assert [item.query for item in app.retrievals.list(actor=owner)] == ["cordes lyre"]
    assert len(app.erasures.receipts(actor=owner, member=MEMBER)) == 2
    assert app.erasures.receipts(actor=owner, member="281474976710656002") == []
    with pytest.raises(NotFound):
        app.erasures.erase(actor=owner, member=MEMBER, confirm=MEMBER)


def test_f7_a_member_in_one_vault_stays_in_the_other(app: Application, owner: Actor) -> None:
    member_facts(app, owner)
    app.erasures.erase(actor=owner, vault="harpe", member=MEMBER, confirm=MEMBER)
    assert in_a_row(app, "hurdy-gurdyphone") == []
    assert "fact" in in_a_row(app, "topinambours")


def test_f7_the_past_of_a_fact_that_was_once_about_the_member_goes_and_the_fact_stays(
    app: Application, owner: Actor
) -> None:
    member_facts(app, owner)
    about = {"subject_kind": SubjectKind.MEMBER, "subject_id": MEMBER}
    number = remember(app, owner, "lyre", "Chausse du quarante-quatre fillette", **about)
    app.facts.edit(
        actor=owner, number=number, content="La salle est chauffée", subject_kind=SubjectKind.VAULT, subject_id=""
    )
    app.erasures.erase(actor=owner, member=MEMBER, confirm=MEMBER)
    assert app.facts.get(actor=owner, number=number).content == "La salle est chauffée"
    assert in_a_row(app, "quarante-quatre") == []


def test_a1_who_may_not_configure_or_does_not_confirm_erases_nothing(app: Application, owner: Actor) -> None:
    member_facts(app, owner)
    erase = app.erasures.erase
    with pytest.raises(InvalidInput, match="confirm"):
        erase(actor=owner, vault="harpe", confirm="lyre")
    with pytest.raises(InvalidInput, match="confirm"):
        erase(actor=owner, member=MEMBER, confirm="")
    with pytest.raises(InvalidInput):
        erase(actor=owner, confirm="harpe")
    model = app.owner_through(Source.AGENT, is_model=True)
    reader = Actor(user_id=owner.user_id, source=Source.REST, token_id=1, can_write=False)
    for refused in (model, reader):
        with pytest.raises(NotAllowed):
            erase(actor=refused, vault="harpe", confirm="harpe")
        with pytest.raises(NotAllowed):
            app.erasures.preview(actor=refused, vault="harpe")
    stranger = Actor(user_id=owner.user_id + 1, source=Source.REST)
    with pytest.raises(NotFound):
        erase(actor=stranger, vault="harpe", confirm="harpe")
    with pytest.raises(NotFound):
        erase(actor=stranger, member=MEMBER, confirm=MEMBER)
    app.vaults.change(actor=owner, vault="harpe", protection=Protection.MAXIMUM)
    afar = Actor(user_id=owner.user_id, source=Source.REST, route=Route.CLOUD, token_id=1)
    with pytest.raises(Withheld):
        erase(actor=afar, vault="harpe", confirm="harpe")
    assert app.erasures.preview(actor=afar, member=MEMBER).left_out == 1
    with app.database.write() as tx:
        tx.execute(tables.membership.update().values(can_configure=False))
    with pytest.raises(NotAllowed):
        erase(actor=owner, vault="harpe", confirm="harpe")
    assert len(in_a_row(app, "hurdy-gurdyphone")) >= 3


def test_v8_a_mention_in_a_protected_vault_does_not_leave_over_a_cloud_route(app: Application, owner: Actor) -> None:
    member_facts(app, owner)
    app.vaults.create(actor=owner, name="Coffre", protection=Protection.MAXIMUM)
    remember(app, owner, "coffre", "Quintefeuille doit tout à la harpe")
    afar = Actor(user_id=owner.user_id, source=Source.REST, route=Route.CLOUD, token_id=1)
    assert [item.vault for item in app.erasures.preview(actor=afar, member=MEMBER).mentions] == ["lyre"]
    here = app.erasures.preview(actor=owner, member=MEMBER).mentions
    assert {item.vault for item in here} == {"coffre", "lyre"}
    app.erasures.erase(actor=owner, vault="coffre", confirm="coffre")
    assert app.erasures.receipts(actor=afar) == []


def asked(app: Application) -> set[str]:
    app.retrievals.flush()
    with app.database.read() as tx:
        return set(tx.execute(select(tables.retrieval.c.query)).scalars())


def test_f7_an_entry_that_found_a_fact_before_it_moved_into_the_vault_goes_with_it(
    app: Application, owner: Actor
) -> None:
    for name in ("Harpe", "Lyre"):
        app.vaults.create(actor=owner, name=name)
    number = remember(app, owner, "lyre", "Le clavecin est accordé au diapason ancien")
    remember(app, owner, "lyre", "La lyre attend au grenier")
    search = {"actor": owner, "vault": "lyre", "matcher": Matcher.WORDS}
    app.retrieval.search(query="où en est le clavecin", **search)
    app.retrieval.search(query="que fait la lyre", **search)
    app.retrievals.flush()
    app.facts.move(actor=owner, number=number, vault="harpe")
    remember(app, owner, "lyre", "Un autre clavecin est arrivé")  # so that no word betrays the entry
    assert app.erasures.preview(actor=owner, vault="harpe").total["retrievals"] == 1
    app.erasures.erase(actor=owner, vault="harpe", confirm="harpe")
    assert asked(app) == {"que fait la lyre"}


def test_f7_entries_are_tied_to_a_vault_by_its_id(app: Application, owner: Actor) -> None:
    for name in ("Harpe", "Lyre"):
        app.vaults.create(actor=owner, name=name)
    remember(app, owner, "lyre", "Ici on parle de harpe")
    app.retrieval.search(actor=owner, query="harpe seule", vault="harpe", matcher=Matcher.WORDS)
    app.retrieval.search(actor=owner, query="harpe de la lyre", vault="lyre", matcher=Matcher.WORDS)
    assert asked(app) == {"harpe seule", "harpe de la lyre"}
    (entry, _) = app.retrievals.list(actor=owner)
    assert set(entry.scope) == {"queried", "passed_over", "withheld"}  # what is shown is what it was
    with app.database.write() as tx:  # a slug that changes hands
        for before, after in (("harpe", "psaltérion"), ("lyre", "harpe")):
            tx.execute(tables.vault.update().where(tables.vault.c.slug == before).values(slug=after))
    app.erasures.erase(actor=owner, vault="psaltérion", confirm="psaltérion")
    assert asked(app) == {"harpe de la lyre"}


def test_f7_a_read_under_way_that_found_what_moved_into_the_vault_is_not_logged(
    app: Application, owner: Actor, clock: Callable[[], object]
) -> None:
    for name in ("Harpe", "Lyre"):
        app.vaults.create(actor=owner, name=name)
    number = remember(app, owner, "lyre", "Le clavecin est accordé")
    app.retrieval.search(actor=owner, query="le clavecin ?", vault="lyre", matcher=Matcher.WORDS)
    app.retrievals.flush()
    with app.database.read() as tx:
        row = tx.execute(select(tables.retrieval)).mappings().one()
    app.facts.move(actor=owner, number=number, vault="harpe")
    app.erasures.erase(actor=owner, vault="harpe", confirm="harpe")
    late = Entry(**{name: row[name] for name in Entry.__dataclass_fields__ if name in row})
    app.retrievals.record(owner, late)
    assert asked(app) == set()


def test_f7_every_mention_is_listed_however_many_words_hold_the_letters_of_the_name(
    app: Application, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    member_facts(app, owner)
    monkeypatch.setattr(mentions, "AT_A_TIME", 5)
    for place in range(12):
        remember(app, owner, "lyre", f"La planète numéro {place} tourne")
        app.notes.create(actor=owner, vault="lyre", title=f"Anet {place}", content=f"Anet, page {place}.")
    remember(app, owner, "lyre", "Anet doit une corde à Martin")
    named = {"actor": owner, "member": MEMBER, "names": ["Anet"]}
    found = app.erasures.preview(**named)
    mine = [item for item in found.mentions if item.name == "Anet"]
    assert [item.says for item in mine if item.fact is not None] == ["Anet doit une corde à Martin"]
    assert len({item.note for item in mine if item.fact is None}) == 12
    assert not found.mentions_cut
    monkeypatch.setattr(mentions, "MOST", 4)
    found = app.erasures.preview(**named)
    assert (len(found.mentions), found.mentions_cut) == (4, True)
    done = app.erasures.erase(**named, confirm=MEMBER)
    assert (len(done.mentions), done.mentions_cut) == (4, True)


def test_f7_a_term_of_another_vault_in_the_index_is_no_trace(app: Application, owner: Actor) -> None:
    app.vaults.create(actor=owner, name="Harpe")
    app.vaults.create(actor=owner, name="Lyre")
    words = [f"zq{first}{second}xkvw" for first in "abcdefghij" for second in "klmnopqrst"]
    for word in words:
        remember(app, owner, "harpe", f"Un fait sur {word}", key=f"bot_{word}", language="en")
    for word in words:  # in the index each stands with its vault in front, as the end of the key did
        remember(app, owner, "lyre", word, language="en")
    (receipt,) = app.erasures.erase(actor=owner, vault="harpe", confirm="harpe").receipts
    assert (receipt.state, receipt.why) == (PurgeState.DONE, "")
