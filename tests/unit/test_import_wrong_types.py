"""Whatever stands in an export: facts, conversations, remarks or a refusal come of it, never a crash (R4)."""

import io
import json
from collections.abc import Iterator
from typing import Any

import pytest

from souvenance.domain.clock import utc_now
from souvenance.domain.errors import SouvenanceError
from souvenance.domain.form import FactForm
from souvenance.imports.chats.files import entries
from souvenance.imports.chats.formats import conversation_of
from souvenance.imports.facts.files import read_facts
from souvenance.imports.facts.records import FactFile
from souvenance.imports.uploads import Upload

WRONG = (None, True, 0, -1, 7, 1.5, 10**40, "", "x", "\ud800", [], [[]], [None], {}, {"x": []}, [{"text": 3}])
CHATGPT = {
    "title": "T", "create_time": 1.5, "update_time": 2.5, "conversation_id": "c", "default_model_slug": "m",
    "current_node": "b",
    "mapping": {
        "a": {"id": "a", "parent": None, "children": ["b"], "message": None},
        "b": {
            "id": "b", "parent": "a", "children": [],
            "message": {
                "author": {"role": "user"}, "create_time": 1.5, "recipient": "all",
                "content": {
                    "content_type": "text", "parts": ["x", {"content_type": "audio_transcription", "text": "y"}],
                },
                "metadata": {"is_visually_hidden_from_conversation": False},
            },
        },
    },
}  # fmt: skip
WITHOUT_LEAF = {name: value for name, value in CHATGPT.items() if name != "current_node"}
CLAUDE = {
    "uuid": "u", "name": "N", "created_at": "2024-05-02T10:00:00Z", "updated_at": "2024-05-02T10:00:00Z",
    "chat_messages": [
        {
            "text": "x", "sender": "human", "content": [{"type": "text", "text": "x"}],
            "created_at": "2024-05-02T10:00:00Z", "attachments": [{"file_name": "a"}], "files": [{"file_name": "b"}],
        }
    ],
}  # fmt: skip
MEM0 = {
    "results": [
        {
            "id": "a", "memory": "m", "user_id": "u", "actor_id": "n", "created_at": "2024-01-02", "updated_at": None,
            "categories": ["c", "d"], "expiration_date": "2024-01-03",
            "metadata": {
                "category": "c", "key": "k", "confidence": 0.5, "importance": 3, "author": "a", "language": "fr",
            },
        }
    ]
}  # fmt: skip
FACT = {
    "number": 1, "content": "x", "key": "k", "category": "c", "confidence": 0.5, "importance": 3,
    "subject_kind": "member", "subject_id": "7", "channel": "1", "author": "a", "language": "fr",
    "said_at": "2024-01-01", "said_dates": [{"said": "s", "resolved": "2024-01-01"}], "source": "import",
    "state": "retired", "reason": "r", "replaced_by": 2, "disabled": True, "created_at": "2024-01-01",
    "updated_at": "2024-01-01", "valid_from": "2024-01-01", "valid_to": "2024-01-02", "deleted_at": None, "other": 1,
}  # fmt: skip


def spoiled(value: Any) -> Iterator[Any]:
    """The value with every wrong one in each of its places, and with each of its members taken out."""
    yield from WRONG
    if isinstance(value, dict):
        for name, member in value.items():
            yield {other: one for other, one in value.items() if other != name}
            yield from (value | {name: wrong} for wrong in spoiled(member))
    elif isinstance(value, list):
        for place, member in enumerate(value):
            yield from ([*value[:place], wrong, *value[place + 1 :]] for wrong in spoiled(member))


@pytest.mark.parametrize("good", [CHATGPT, WITHOUT_LEAF, CLAUDE], ids=["chatgpt", "no leaf", "claude"])
def test_r4_no_wrong_value_in_an_export_of_conversations_is_a_crash(good: dict[str, Any]) -> None:
    read = 0
    for value in spoiled(good):
        upload = Upload("c.json", io.BytesIO(json.dumps([value, good]).encode()))
        *_, last = (conversation_of(entry, place) for place, entry in enumerate(entries(upload, read=lambda _: None)))
        assert last is not None
        for entry in entries(upload, read=lambda _: None):
            if (item := conversation_of(entry, 1)) is not None:
                written = json.dumps([item.name, item.day, item.front_matter(), item.text()], ensure_ascii=False)
                read += bool(written.encode())
    assert read > 100


@pytest.mark.parametrize(
    ("good", "form"), [(MEM0, FactForm.MEM0), (FACT, FactForm.JSON_LINES), ([FACT], FactForm.AUTO)]
)
def test_r4_no_wrong_value_in_a_file_of_facts_is_a_crash(good: Any, form: FactForm) -> None:
    seen = 0
    for value in spoiled(good):
        try:
            found = facts(value, form)
        except SouvenanceError:
            seen += 1
        else:
            assert found.records or found.problems or value in ([], {"results": []})
            seen += 1
    assert seen > 100


def facts(value: Any, form: FactForm = FactForm.AUTO) -> FactFile:
    return read_facts(Upload("facts", io.BytesIO(json.dumps(value).encode())), form=form, now=utc_now())


def test_r4_categories_of_mem0_that_are_one_word_are_that_category() -> None:
    found = facts([{"memory": "m", "categories": "food"}, {"memory": "n", "categories": 5}])
    assert [one.category for one in found.records] == ["food", "general"]
    assert found.warnings == []
