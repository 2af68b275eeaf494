"""What people ask, as a list of its own and in the palette."""

import pytest
from textual.command import CommandList

from attn_tui.files.draft import EXAMPLE
from attn_tui.files.faq import faq
from attn_tui.ui.app import AttnApp
from attn_tui.ui.palette import ExamplesProvider, PaletteProvider
from tests.ui.person import burst, find_all, notices, press, shown, take_first


@pytest.mark.slow
async def test_x_leads_to_the_questions_and_enter_to_the_headline_that_replies() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        await press(pilot, "x", "down")
        await burst(pilot, "enter")
        listed = pilot.app.screen.query_one(CommandList)
        assert listed.option_count == len(faq())
        screen = await press(pilot, *"itself", "enter")
        assert screen.NAME == "dots"
        assert screen.headline.startswith("Dividing by d_k is too much: ±17.3 becomes ±0.0577")
        assert "grows as √d_k and no faster" in notices(pilot)
        # What was asked before comes back.
        assert (await press(pilot, "u")).present.draft == EXAMPLE


@pytest.mark.slow
async def test_a_question_that_no_headline_answers_opens_its_claim() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        screen = await take_first(pilot, "should I scale q first")
        assert screen.NAME == "claims"
        assert screen.headline.startswith("“In 16 bits, dividing q and k by ⁴√d_k")


async def test_the_palette_has_questions_after_settings_and_before_claims() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        lines = await find_all(pilot, "overflow")
        kinds = [line.split(":")[0] for line in lines]
        assert kinds.index("question") > kinds.index("example")
        assert "claim" in kinds
        assert kinds.index("claim") > max(i for i, kind in enumerate(kinds) if kind == "question")
        for provider in (PaletteProvider, ExamplesProvider):
            hits = [hit async for hit in provider(screen).search("Why a square root?")]
            best = max(hits, key=lambda hit: hit.score)
            assert str(best.prompt).strip().endswith("Why a square root and not d_k itself?")


ALSO_A_SETTING = {
    "QK-norm and still dividing": "After QK-norm, do I still divide by √d_k?",
    "mask, added before scaling": "Is a mask added before or after the scale?",
    "softcap: is QK-norm not enough": "With QK-norm, is a soft cap still needed?",
    "precision needed by scores: bf16": "Is bfloat16 precise enough for attention scores?",
}
"""Questions that begin with the name of a setting, of which the rest is no value."""


async def test_a_question_that_begins_as_a_setting_is_answered_and_no_refused_value() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        for typed, asks in ALSO_A_SETTING.items():
            hits = [hit async for hit in PaletteProvider(screen).search(typed)]
            first, *rest = (str(hit.prompt) for hit in sorted(hits, key=lambda hit: -hit.score))
            assert first == f"question: {asks}", typed
            # What is wrong with the value is said all the same.
            assert len(rest) > 0
        # A value that is meant as one is refused first, and a name alone opens its field.
        hits = [hit async for hit in PaletteProvider(screen).search("d_k 64k")]
        assert str(max(hits, key=lambda hit: hit.score).prompt) == "d_k 64k"


AS_TITLED = {
    "Why does this multiplication of Q and K have a variance of d_k?": "My 2×2 try",
    "Why does AttentionBlock perform softmax in float32?": "Why is softmax done in float32?",
    "doubt about scale in Attention": "I divided by √d_model",
    "Dropout of attn_weights": "With dropout the attention of a row",
    "Initializing attention weights in T5": "T5 does not scale",
    "all -inf gives NaN, expected?": "Every key is masked",
    "packed QKV gets half the Xavier variance": "Packed QKV",
    "Softmax Attention and the Dilution Problem": "Does attention dilute",
}
"""Titles as askers wrote them, and how the first hit begins."""


@pytest.mark.slow
async def test_a_title_finds_its_question_first() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        provider = PaletteProvider(screen)
        asked = {entry.asks: f"question: {entry.asks}" for entry in faq()}
        asked |= {title: f"question: {begins}" for title, begins in AS_TITLED.items()}
        for typed, begins in asked.items():
            hits = [hit async for hit in provider.search(typed)]
            best = max(hits, key=lambda hit: hit.score)
            assert str(best.prompt).startswith(begins), typed


SCALES = {"0.0884": "128", "1/sqrt(80)": "80", "11.3": "128", "0.125": "64"}
"""Scales as people type them, and the d_k that they are offered as."""


async def test_a_typed_scale_offers_the_d_k_that_has_it() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        for typed, d_k in SCALES.items():
            hits = [hit async for hit in PaletteProvider(screen).search(typed)]
            offers = {str(hit.prompt): hit.help or "" for hit in hits}
            assert "scores are" in offers[f"d_k: 1,024 → {d_k}"], typed
        # In a title it is a word as others are.
        titled = [hit async for hit in PaletteProvider(screen).search("MLA: 1/sqrt(40) is wrong")]
        assert not any(str(hit.prompt).startswith("d_k") for hit in titled)
        assert any(str(hit.prompt).startswith("question: Why does DeepSeek") for hit in titled)
