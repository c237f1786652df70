"""N5: the five operations of edit_note on a text."""

from __future__ import annotations

import pytest

from souvenance.domain.errors import AmbiguousEdit, Conflict, InvalidInput, SouvenanceError
from souvenance.notes.edit import applied, checked_edit

TEXT = """Intro

# One

first

## Detail

more

Two
===

second

```
# Two
```

## Detail ##

last
"""


def edited(text: str, operation: str, content: str, **how: str) -> str:
    return applied(text, checked_edit(operation=operation, content=content, **how))


@pytest.mark.parametrize(
    ("text", "operation", "content", "result"),
    [
        ("a\n", "append", "b\n", "a\n\nb\n"),
        ("a", "append", "b", "a\n\nb"),
        ("- a\n", "append", "- b\n", "- a\n- b\n"),
        ("a\n\n\n", "append", "b", "a\n\n\nb"),
        ("", "append", "b", "b"),
        ("a\n", "prepend", "b", "b\n\na\n"),
        ("- a\n", "prepend", "- b\n", "- b\n- a\n"),
        ("a\n", "replace", "b", "b"),
        ("a\n", "replace", "", ""),
    ],
)
def test_n5_append_prepend_and_replace(text: str, operation: str, content: str, result: str) -> None:
    assert edited(text, operation, content) == result


def test_n5_find_replace_changes_the_one_place_and_empty_content_removes_it() -> None:
    assert edited("one two three", "find_replace", "2", find="two") == "one 2 three"
    assert edited("one two three", "find_replace", "", find="two ") == "one three"
    with pytest.raises(AmbiguousEdit):
        edited("aaa", "find_replace", "b", find="aa")
    with pytest.raises(Conflict):
        edited("one", "find_replace", "b", find="two")


def test_n5_replace_section_reaches_to_the_next_heading_of_its_level_or_higher() -> None:
    assert edited(TEXT, "replace_section", "new", section="One") == TEXT.replace(
        "first\n\n## Detail\n\nmore\n", "new\n", 1
    )
    assert edited(TEXT, "replace_section", "new\n", section="# two") == TEXT[: TEXT.index("second")] + "new\n"


def test_n5_replace_section_may_repeat_its_heading() -> None:
    assert edited("# A\n\nx\n\n# B\n\ny\n", "replace_section", "# A\n\nz\n", section="A") == "# A\n\nz\n\n# B\n\ny\n"


def test_n5_replace_section_with_nothing_keeps_the_heading() -> None:
    assert edited("# A\n\nx\n\n# B\n\ny\n", "replace_section", "", section="A") == "# A\n\n# B\n\ny\n"


def test_n5_a_heading_that_is_there_twice_or_not_at_all_is_refused() -> None:
    with pytest.raises(AmbiguousEdit):
        edited(TEXT, "replace_section", "new", section="Detail")
    with pytest.raises(Conflict):
        edited(TEXT, "replace_section", "new", section="### Detail")
    with pytest.raises(Conflict):
        edited("```\n# code\n```\n", "replace_section", "new", section="code")


@pytest.mark.parametrize(
    "how",
    [
        {"operation": "rewrite", "content": "x"},
        {"operation": "find_replace", "content": "x"},
        {"operation": "replace_section", "content": "x"},
        {"operation": "append", "content": "x", "find": "y"},
        {"operation": "replace", "content": "x", "section": "y"},
        {"operation": "append", "content": " \n"},
        {"operation": "replace", "content": "a\x00b"},
        {"operation": "replace", "content": "\ud800"},
        {"operation": "replace", "content": "x" * (8 * 1024 * 1024 + 1)},
    ],
)
def test_n5_arguments_that_do_not_belong_together_are_refused(how: dict[str, str]) -> None:
    with pytest.raises(InvalidInput) as refused:
        checked_edit(**how)
    assert isinstance(refused.value, SouvenanceError)
    assert refused.value.hint
