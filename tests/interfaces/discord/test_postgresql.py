"""The bot on PostgreSQL: the same conversation, the same commands (R2)."""

from pathlib import Path

import pytest

from discord_bench import Bench
from souvenance.settings import Settings

pytestmark = pytest.mark.anyio


@pytest.fixture
def settings(tmp_path: Path, postgresql_url: str) -> Settings:
    return Settings(data=tmp_path, database_url=postgresql_url, embedder="none")  # type: ignore[arg-type]


async def test_r2_it_answers_learns_and_forgets(bench: Bench) -> None:
    ana = bench.guild.new_member("ana", nick="Ana")
    bench.model.says("Noted. <<remember music | plays the harp | Ana>>")
    await bench.discord.tell_bot(bench.hall, ana, "I play the harp")
    await bench.discord.answer(bench.hall)
    assert [fact.subject_id for fact in bench.facts()] == [ana["id"]]
    bench.model.does(lambda prompt, _: str("(Ana) music: plays the harp" in prompt))
    await bench.discord.tell_bot(bench.hall, ana, "what do I play?")
    assert (await bench.discord.answer(bench.hall, number=2)).text == "True"
    found = await bench.discord.command(bench.hall, ana, "memory search", query="harp")
    assert "plays the harp" in found.text
    asked = await bench.discord.command(bench.hall, ana, "memory forget-me", sure=True)
    assert asked.text.startswith("Done. Facts about you erased for good: 1.")
    assert bench.facts() == []
