"""Where a server's memory may be read and written (D2, D3)."""

import itertools
from typing import Any

import pytest

from souvenance.domain.errors import InvalidInput
from souvenance.domain.server import Permitted, Place, PlaceKind, ServerSettings, permitted, settings_of

HALL = Place(PlaceKind.ORDINARY, "1")
DEN = Place(PlaceKind.ORDINARY, "2")
THREAD_OF_HALL = Place(PlaceKind.THREAD, "11", "1")
THREAD_OF_DEN = Place(PlaceKind.THREAD, "12", "2")
THREAD_OF_UNKNOWN = Place(PlaceKind.THREAD, "13", "")
DIRECT = Place(PlaceKind.DIRECT, "3")
UNKNOWN = Place(PlaceKind.UNKNOWN, "4")

TABLE: list[tuple[dict[str, Any], Place, str]] = [
    # The default: read and written in all ordinary channels, in nothing else.
    ({}, HALL, "rw"),
    ({}, DEN, "rw"),
    ({}, THREAD_OF_HALL, ""),
    ({}, DIRECT, ""),
    ({}, UNKNOWN, ""),
    # None.
    ({"read": "none"}, HALL, "w"),
    ({"write": "none"}, HALL, "r"),
    ({"read": "none", "write": "none"}, HALL, ""),
    # A chosen set, each list its own.
    ({"read": ["1"], "write": ["2"]}, HALL, "r"),
    ({"read": ["1"], "write": ["2"]}, DEN, "w"),
    ({"read": [], "write": []}, HALL, ""),
    # Threads: off by default, whatever the lists say; on, they follow their parent.
    ({"read": ["1", "11"], "write": ["1", "11"]}, THREAD_OF_HALL, ""),
    ({"include_threads": True}, THREAD_OF_HALL, "rw"),
    ({"include_threads": True, "read": ["1"], "write": ["2"]}, THREAD_OF_HALL, "r"),
    ({"include_threads": True, "read": ["1"], "write": ["2"]}, THREAD_OF_DEN, "w"),
    ({"include_threads": True, "read": ["11"], "write": ["11"]}, THREAD_OF_HALL, ""),
    # An unknown parent denies, and so does an unknown channel; direct messages belong to no server.
    ({"include_threads": True}, THREAD_OF_UNKNOWN, ""),
    ({"include_threads": True, "read": ["13"], "write": ["13"]}, THREAD_OF_UNKNOWN, ""),
    ({"include_threads": True}, UNKNOWN, ""),
    ({"include_threads": True, "read": ["3"], "write": ["3"]}, DIRECT, ""),
    # Where every message is answered; a thread of it too, once threads follow.
    ({"answer_channels": ["1"]}, HALL, "rwa"),
    ({"answer_channels": ["1"]}, DEN, "rw"),
    ({"answer_channels": ["1"]}, THREAD_OF_HALL, ""),
    ({"answer_channels": ["1"], "include_threads": True}, THREAD_OF_HALL, "rwa"),
    ({"answer_channels": ["1"], "read": "none", "write": "none"}, HALL, "a"),
    ({"answer_channels": ["3", "4"]}, DIRECT, ""),
    ({"answer_channels": ["3", "4"]}, UNKNOWN, ""),
]


@pytest.mark.parametrize(("settings", "place", "allowed"), TABLE)
def test_d2_d3_what_is_permitted(settings: dict[str, Any], place: Place, allowed: str) -> None:
    expected = Permitted(read="r" in allowed, write="w" in allowed, answers="a" in allowed)
    assert permitted(settings_of(settings), place) == expected


def test_d3_no_setting_opens_a_place_that_no_channel_governs() -> None:
    lists = ["all", "none", ["1"], ["11", "13", "3", "4"]]
    for read, write, threads in itertools.product(lists, lists, [False, True]):
        settings = settings_of({"read": read, "write": write, "include_threads": threads, "answer_channels": ["13"]})
        for place in (THREAD_OF_UNKNOWN, DIRECT, UNKNOWN, Place(PlaceKind.ORDINARY, "")):
            assert permitted(settings, place) == Permitted()


def test_settings_are_written_and_read_again_unchanged() -> None:
    settings = settings_of({"read": ["20", "3"], "write": "none", "include_threads": True, "listens": False})
    assert settings_of(settings.plain()) == settings
    assert settings.plain()["read"] == ["3", "20"]
    assert settings_of({}) == ServerSettings()


@pytest.mark.parametrize(
    "wrong",
    [
        {"read": "some"},
        {"read": ["general"]},
        {"read": ["1" * 21]},
        {"write": [True]},
        {"read": {"a": 1}},
        {"answer_channels": "all"},
        {"include_threads": "yes"},
        {"listens": 1},
        {"threads": True},
        {"read": [str(number) for number in range(501)]},
    ],
)
def test_what_cannot_be_set_is_refused_with_the_way_out(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as refused:
        settings_of(wrong)
    assert refused.value.message
