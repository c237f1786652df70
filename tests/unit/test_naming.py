"""Whether a question names a vault (V12)."""

from datetime import UTC, datetime

import pytest

from souvenance.domain.vault import Vault, VaultKind, slugify
from souvenance.retrieval.scope import folded_question, names_vault


def vault(name: str, kind: VaultKind = VaultKind.PROJECT) -> Vault:
    at = datetime(2024, 1, 1, tzinfo=UTC)
    return Vault(id=1, team_id=1, slug=slugify(name), name=name, kind=kind, created_at=at, updated_at=at)


NAMED = [
    ("Journal", "que dit mon JOURNAL sur Léa ?"),
    ("Écurie", "dans l'ecurie, qui ?"),
    ("Ecurie", "dans l’ÉCURIE, qui ?"),
    ("L'atelier", "que dit l’atelier ?"),
    ("Mon journal", "ouvre mon   journal"),
    ("Mon journal", "ouvre @mon-journal stp"),
    ("IA", "que dit IA ?"),
    ("C++", "what about C++ then"),
    ("C++", "what about @c"),
    ("Notes", "« notes » : rien ?"),
    ("日記", "私の日記に何がある"),
    ("일기", "일기에 뭐라고"),
    ("本", "@本 何"),
    ("Straße", "in der STRASSE"),
]
NOT_NAMED = [
    ("Journal", "les journaux du journaliste"),
    ("IA", "Maria a un piano"),
    ("Notes", "j'ai noté annotes"),
    ("Pont", "à Pont-l'Évêque"),
    ("Work", "write to bob@work.com"),
    ("Work", "see work.com"),
    ("C++", "la vitamine c"),
    ("本", "日本の天気"),
    ("일", "매일 운동"),
    ("Mon journal", "mon autre journal"),
    ("Lab", "ask @lab-notes"),
]

PERSONAL_NAMED = [
    ("Personal", "que dit mon coffre personnel sur Léa ?"),
    ("Personal", "dans mon COFFRE PERSONNEL, qui ?"),
    ("Personal", "d'après le coffre « Personnel » ?"),
    ("Personal", 'regarde le coffre "Personnel" stp'),
    ("Personal", "look into the vault “Personnel”"),
    ("Personal", "@personnel, qui est Léa ?"),
    ("Personal", "Et @Personnel ?"),
    ("Personal", "what does my personal vault say?"),
    ("Personal", "what does the vault Personnel say?"),
    ("Personal 2", "le coffre personnel 2 ?"),
]
PERSONAL_NOT_NAMED = [
    ("Personal", "le personnel de l'hôtel est aimable"),
    ("Personal", "Personnel soignant : combien ?"),
    ("Personal", "c'est un avis personnel"),
    ("Personal", "mes affaires personnelles"),
    ("Personal", "écris à personnel@hotel.fr ou moi@personnel.fr"),
    ("Personal", "les coffres personnels de l'hôtel"),
    ("Personal", "J'ai loué un coffre personnel à la banque"),
    ("Personal", "faut-il louer d’un tiers un  coffre personnel ?"),
    ("Personal", "il n'y a aucun coffre personnel ici"),
    ("Personal", "is it a vault personnel may open?"),
    ("Personal", 'Que veut dire "personnel" en anglais ?'),
    ("Personal", "Que veut dire « personnel » en anglais ?"),
    ("Personal", "Le dossier « Personnel » de Marie"),
    ("Personal", "que dit le coffre Personnel 2 ?"),
    ("Personal", "que dit le coffre « Personnel 2 » ?"),
    ("Personal 2", "@personnel, qui est Léa ?"),
    ("Personal 2", "le coffre personnel 23 ?"),
    ("Chez moi", "que dit mon coffre personnel ?"),
]


@pytest.mark.parametrize(("name", "question"), PERSONAL_NAMED)
def test_v12_the_personal_vault_is_named_by_what_it_is_shown_as(name: str, question: str) -> None:
    assert names_vault(folded_question(question), vault(name, VaultKind.PERSONAL))


@pytest.mark.parametrize(("name", "question"), PERSONAL_NOT_NAMED)
def test_v12_an_everyday_word_names_no_vault(name: str, question: str) -> None:
    assert not names_vault(folded_question(question), vault(name, VaultKind.PERSONAL))


def test_v12_only_a_personal_vault_goes_by_that_name() -> None:
    assert not names_vault(folded_question("mon coffre personnel"), vault("Personal", VaultKind.PROJECT))
    assert names_vault(folded_question("le personnel ?"), vault("Personnel", VaultKind.PROJECT))  # its own name


def test_v12_what_another_vault_is_really_called_does_not_name_the_personal_one() -> None:
    personal, question = vault("Personal", VaultKind.PERSONAL), folded_question("que dit mon coffre personnel ?")
    assert names_vault(question, personal, taken={"harpe"})
    assert not names_vault(question, personal, taken={"harpe", "personnel"})
    assert names_vault(folded_question("que dit mon personal ?"), personal, taken={"personal", "personnel"})
    second = vault("Personal 2", VaultKind.PERSONAL)
    assert not names_vault(folded_question("le coffre personnel 2 ?"), second, taken={"personnel-2"})


@pytest.mark.parametrize(("name", "question"), NAMED)
def test_v12_the_question_names_the_vault(name: str, question: str) -> None:
    assert names_vault(folded_question(question), vault(name))


@pytest.mark.parametrize(("name", "question"), NOT_NAMED)
def test_v12_a_name_inside_another_word_does_not_answer(name: str, question: str) -> None:
    assert not names_vault(folded_question(question), vault(name))
