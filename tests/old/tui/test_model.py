"""The model that was chosen, on every screen."""

import pytest

from attn_tui.compute.dots.draws import Draws
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.old.tui.bars import title_items
from tests.old.tui.person import MEDIUM, NARROW, Person, at_screen


def title(person: Person) -> str:
    return person.lines[0]


async def test_the_model_is_named_until_something_departs_and_then_that_is_said() -> None:
    async with at_screen() as person:
        await person.press("m")
        await person.write("gemma227")
        await person.press("enter")
        assert "Gemma-2-27B · f64 · typed" in title(person)
        await person.press("right_square_bracket")
        person.sees("Gemma-2-27B, but d_k 160")
        await person.press("2")
        assert "Gemma-2-27B, but d_k 160" in title(person)
        await person.press("3")
        assert "Gemma-2-27B, but d_k 160" in title(person)
        await person.press("1")
        await person.run("scale.rule('inverse-sqrt')")
        await person.press("f5")
        assert person.asked.draft.setup.model == "none"
        assert "Gemma" not in title(person)
        assert "m = 1/√d_k" in title(person)
        await person.press("u")
        assert "Gemma-2-27B, but d_k 160" in title(person)
        await person.press("left_square_bracket")
        assert "Gemma" in title(person)
        assert "but" not in title(person)


async def test_a_cap_of_ones_own_departs() -> None:
    async with at_screen() as person:
        await person.run("scale.model('gemma-2-27b')")
        await person.run("fields.default('softcap')")
        await person.press("f5")
        assert person.asked.draft.setup.scale.softcap is None
        assert "Gemma-2-27B, but no cap" in title(person)


async def test_of_no_model_only_the_name_goes() -> None:
    async with at_screen() as person:
        await person.run("scale.model('gemma-2-27b')")
        await person.run("scale.model('none')")
        await person.press("f5")
        setup = person.asked.draft.setup
        assert (setup.model, setup.d_k, setup.scale.softcap) == ("none", 128, 50.0)
        assert "m = 1/√144, cap 50" in title(person)
        await person.press("u")
        assert "Gemma-2-27B" in title(person)
        await person.press("u")
        assert person.asked.draft == EXAMPLE


async def test_models_that_are_alike_are_told_apart() -> None:
    async with at_screen() as person:
        await person.run("scale.model('llama-3-8b')")
        await person.run("scale.model('mistral-7b')")
        await person.press("f5")
        assert "Mistral-7B" in title(person)
        await person.press("u")
        assert "Llama-3-8B" in title(person)


@pytest.mark.parametrize("number", "123")
async def test_a_click_on_the_name_opens_the_models(number: str) -> None:
    async with at_screen() as person:
        await person.run("scale.model('gpt-2')")
        await person.press(number)
        await person.click("#title", title(person).index("GPT-2") + 2)
        person.sees("Heads of models", "● GPT-2 small")


async def test_what_a_model_has_no_use_for_is_said_where_there_is_room() -> None:
    async with at_screen() as person:
        await person.run("scale.model('gemma-4')")
        await person.press("f5")
        assert "Gemma-4 text, no q and k for QK-norm" in title(person)


@pytest.mark.parametrize("size", [MEDIUM, NARROW])
@pytest.mark.parametrize("name", ["explore", "dots", "sweep"])
def test_a_name_without_what_departs_is_never_what_is_left(
    name: str, size: tuple[int, int]
) -> None:
    status = [(("Model, but d_k 1,024 and 1/√d_k", "Model, but …", "m = 1"), "a"), (("s",), "b")]
    for width in range(12, size[0] + 1):
        items = title_items(name, status, width)
        text = "".join(text for item in items for text, _ in item.row)
        assert ("Model" in text) == ("Model, but …" in text or "1/√d_k" in text)


async def test_a_name_that_comes_or_goes_draws_nothing_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start = Draft(EXAMPLE.text, Setup(64, model="gpt-2"))
    async with at_screen(draft=start) as person:
        await person.press("2")
        monkeypatch.setattr(Draws, "take", None)
        await person.run("scale.model('none')")
        await person.press("f5")
        assert "m = 1/√d_k" in title(person)
        person.sees("100,000 drawn")
