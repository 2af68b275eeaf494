"""What people type into the palette, and what enter then does."""

import asyncio
from collections.abc import Mapping

import pytest
from textual.command import CommandList, CommandPalette, Hits
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Input

from attn_tui.compute.mask import parse_mask
from attn_tui.compute.models import MODELS
from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from attn_tui.ui.editors import StepField
from attn_tui.ui.file_dialogs import FileScreen
from attn_tui.ui.palette import PaletteProvider
from attn_tui.ui.setting import MASK
from tests.pairs import slow_after
from tests.ui.person import burst, find_all, notices, press, read, shown, take_first, until

RULE = "rule: inverse-sqrt → "
NOW = ", as it is now"

FIRST: Mapping[str, str] = {
    # A name and a value.
    "temperature 0.5": f"{RULE}temperature:T=0.5", "T 0.5": f"{RULE}temperature:T=0.5",
    "t=0.5": f"{RULE}temperature:T=0.5", "temperature = 0.5": f"{RULE}temperature:T=0.5",
    "temperature:T=0.5": f"{RULE}temperature:T=0.5",
    "rule temperature 0.5": f"{RULE}temperature:T=0.5",
    "rule=temperature:T=0.5": f"{RULE}temperature:T=0.5", "divide by 8": f"{RULE}temperature:T=8",
    "1/8": f"{RULE}temperature:T=8", "1/sqrt(144)": f"{RULE}fixed:a=144",
    "mup 128": f"{RULE}mup:d0=128", "d₀ 128": f"{RULE}mup:d0=128",
    "temp 2": f"{RULE}temperature:T=2",
    "yarn 4": f"{RULE}yarn:factor=4", "a 5": f"{RULE}fixed:a=5",
    "power 0.3": f"{RULE}power:alpha=0.3", "alpha 0.3": f"{RULE}power:alpha=0.3",
    "mscale 0.707": f"{RULE}yarn:mscale=0.707", "longrope 8": f"{RULE}longrope:factor=8",
    "llama4 128": f"{RULE}llama4:length=128", "llama 4": f"{RULE}llama4",
    "ssmax a 0.5": f"{RULE}ssmax:a=0.5", "layer 3": f"{RULE}per-layer:layer=3",
    "64": "d_k: 1,024 → 64",
    "d_k 64": "d_k: 1,024 → 64", "dk=64": "d_k: 1,024 → 64", "set d_k to 64": "d_k: 1,024 → 64",
    "head dimension 128": "d_k: 1,024 → 128", "d_k 2^6": "d_k: 1,024 → 64",
    "soft cap 30": "soft cap: none → 30", "softcap=30": "soft cap: none → 30",
    "cap 30": "soft cap: none → 30", "sink 1": "sink: none → 1",
    "soft cap of 30": "soft cap: none → 30", "d_k 64k": "d_k 64k", "mask 1": "mask: none → 1",
    "hide 2": "mask: none → 2", "hide key 2": "mask: none → 2", "mask key 2": "mask: none → 2",
    "sigma_q 2": "σ_q 2", "lead 5": "lead 5", "leading key": "lead",
    "samples 1000": "Dot products: samples: 100,000 → 1,000",
    "draws 64": "Sweep: draws: auto → 64", "precision float16": "precision: float64 → float16",
    # A value alone.
    "float16": "precision: float64 → float16", "FP16": "precision: float64 → float16",
    "half precision": "precision: float64 → float16", "bf16": "precision: float64 → bfloat16",
    "fp32": "precision: float64 → float32", "naive": "method: stable → naive",
    "causal": "mask: none → causal", "causal mask": "mask: none → causal",
    "largest": f"gradient of: largest{NOW}", "max": f"gradient of: largest{NOW}",
    "dice": "Dot products: entries: normal → die 1–6",
    "coin flips": "Dot products: entries: normal → ±1 coins",
    # Rules.
    "1/d_k": f"{RULE}inverse", "scale by 1/d_k": f"{RULE}inverse",
    "mup": f"{RULE}mup", "µP": f"{RULE}mup",
    "unscaled": f"{RULE}none", "no scaling": f"{RULE}none",
    "remove the division": f"{RULE}none", "temperature": f"{RULE}temperature",
    "answer 0": "answer: none → 0", "cross-entropy 1": "answer: none → 1",
    "1/sqrt(d_k)": f"rule: inverse-sqrt{NOW}", "inverse": f"{RULE}inverse",
    "scalable softmax": f"{RULE}ssmax", "sharper attention": f"{RULE}temperature",
    # Models.
    "gemma 2": "model: Gemma-2-9B", "gemma2": "model: Gemma-2-9B",
    "gemma-2-27b": "model: Gemma-2-27B", "llama 3": "model: Llama-3-8B",
    "gpt2": "model: GPT-2 small",
    "GPT 2": "model: GPT-2 small", "model gemma 2": "model: Gemma-2-9B",
    "deepseek": "model: DeepSeek-V3",
    "granite": "model: Granite-4.1-3b",
    # Views and instruments.
    "jacobian": "view: Jacobian", "entropy": "view: Effective keys over d_k",
    "effective keys": "view: Effective keys over d_k", "rounding": "view: Precision lab",
    "gradient": "view: Gradient", "why variance": "Dot products: Why the variance is d_k",
    "heat map": "Attention: Map of weights", "bins": "Dot products: Histograms of q·k",
    "histogram": "Dot products: Histograms of q·k", "doctor": "Heads: Doctor", "sweep": "Sweep: ",
    "tokens": "Attention: ", "myths": "Claims: ", "4": "Attention: ",
    # Actions.
    "compare": "Pin to compare  (p)", "pin": "Pin to compare", "p": "Pin to compare",
    "load": "Open a file  (o)", "open": "Open a file", "/load": "Open a file", "npy": "Open a file",
    "save": "Save what is shown  (s)", "export": "Save what is shown", "csv": "Save what is shown",
    "reset": "Back to the start", "start over": "Back to the start", "undo": "Undo",
    "tour": "Take the tour", "tutorial": "Take the tour", "help": "Help", "?": "Help",
    "examples": "Try an example", "quit": "Quit  (q)", "exit": "Quit", "share": "Copy the command",
    "python": "Save what is shown", "Jupyter": "Save what is shown",
    "settings": "Settings", "options": "Settings", "rule": "Choose a rule",
    "model": "Choose a model",
    "full screen": "Show one pane alone", "zoom": "Show one pane alone",
    "report": "Read the report",
    **dict.fromkeys(("mask the key", "hide key", "hide", "hide a key"), "Mask the key, or show it"),
    "lesson": "A lesson of your own",
    "write a lesson": "A lesson of your own", "open a lesson": "A lesson of your own",
    "own tour": "A lesson of your own", "random scores": "Draw scores",
    "export data": "Save what is shown", "load model": "Choose a model", "resample": "Another draw",
    "edit": "Type scores", "enter scores": "Type scores", "theme": "Theme",
    "decrease d_k": "Lower d_k  (-)", "bigger d_k": "Raise d_k  (+)",
    "screenshot": "Screenshot", "pause": "Stop, go on or play",
    # Other choices and settings.
    "white background": "theme: attn-light", "go back": "Undo",
    "light": "theme: attn-light", "theme light": "theme: attn-light", "dark mode": "theme: attn",
    "qk norm": "QK-norm",
    "sink": "sink: none", "precision": "precision: float64", "n 64": "Scores: n = 64, seed = 1",
    # Examples and claims.
    "doctor demo": "Doctor's demo: ", "demo multiplied": "Doctor's demo: Scores are multiplied",
    "demo": "Try an example", "ties": "example: Ties",
    "thousand": "example: A thousand random keys",
    "explosion": "claim: S1-1 ", "gradient explosion": "claim: S1-1 ",
    "vanishing gradient": "question: Do gradients vanish or", "s2-19": "claim: S2-19 ",
    "erratum": "claim: ", "nan": "question: Every key is masked and softmax gives NaN",
}  # fmt: skip
"""Typed words, and how the first hit begins, in Explore on the worked example."""


async def first_hits(app: AttnApp, queries: Mapping[str, str]) -> dict[str, str]:
    """Return how the first hit begins for each query, as far as what is expected."""
    assert app.instrument is not None
    provider = PaletteProvider(app.instrument)
    found = {}
    for query, expected in queries.items():
        hits = [hit async for hit in provider.search(query)]
        best = max(hits, key=lambda hit: hit.score)
        found[query] = str(best.prompt)[: len(expected)]
    return found


async def test_what_people_type_has_one_right_first_hit() -> None:
    app = AttnApp(EXAMPLE)
    async with app.run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        assert await first_hits(app, FIRST) == FIRST


async def test_the_order_is_the_same_at_each_start() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        # Several would be asked in no particular order, and so would equal scores be listed.
        assert [len(pilot.app.COMMANDS), len(screen.COMMANDS)] == [1, 0]
        for query in ("d", "gradient", "1/d_k", "e 1", "the"):
            hits = [hit async for hit in PaletteProvider(screen).search(query)]
            scores = [hit.score for hit in hits]
            assert scores == sorted({*scores}, reverse=True)


ELSEWHERE = {
    "dots": {
        "T 2": f"{RULE}temperature:T=2", "cap 30": "Explore: soft cap: none → 30",
        "sigma_q 2": "σ_q: 1 → 2", "σ_k 0.5": "σ_k: 1 → 0.5", "spread of k 3": "σ_k: 1 → 3",
        "causal": f"Attention: sees: up to its own{NOW}",
        "samples 10": "samples: 100,000 → 10",
        "type scores": "Type scores", "n 9": "Sweep: n: 64 → 9", "histogram": "view: Histograms",
    },
    "attention": {
        "causal": f"sees: up to its own{NOW}", "every key": "sees: up to its own → all",
        "n 9": "n: 12 → 9", "compare": "Pin to compare",
    },
    "heads": {
        "causal": "mask: auto → causal", "layer 3": "layer: none → 3", "doctor": "view: Doctor",
        "d_k 64": "Explore: d_k: 1,024 → 64",
    },
    "claims": {"T 2": f"Explore: {RULE}temperature:T=2", "d_k 64": "d_k 64", "s2-19": "claim: "},
}  # fmt: skip
"""The same on other instruments."""


@pytest.mark.slow
@pytest.mark.parametrize("name", ELSEWHERE)
async def test_each_instrument_comes_first_in_its_own_palette(name: str) -> None:
    app = AttnApp(EXAMPLE, name)
    async with app.run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        assert await first_hits(app, ELSEWHERE[name]) == ELSEWHERE[name]


@pytest.mark.slow
async def test_each_model_is_found_by_its_title_without_marks() -> None:
    models = {
        model.title.lower().replace("-", " "): f"model: {model.title}" for model in MODELS.values()
    }
    app = AttnApp(EXAMPLE)
    async with app.run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        assert await first_hits(app, models) == models


@pytest.mark.slow
async def test_a_parameter_goes_to_the_present_rule_or_else_brings_its_own() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        for words, rule in (
            ("a 5", "fixed:a=5"), ("ssmax", "ssmax"), ("a 5", "ssmax:a=5"),
            ("T 0.5", "temperature:T=0.5"), ("temperature:T=3", "temperature:T=3"),
        ):  # fmt: skip
            screen = await take_first(pilot, words)
            assert screen.present.draft.setup.scale.text == rule, words


@pytest.mark.slow
async def test_a_rule_that_comes_with_a_parameter_is_said_to_replace_the_present_one() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await take_first(pilot, "temperature 0.5")
        assert "1/0.5 replaces 1/√d_k; the two are not multiplied" in notices(pilot)
        pilot.app.clear_notifications()
        await take_first(pilot, "temperature 0.25")
        assert "replaces" not in notices(pilot)


@pytest.mark.slow
async def test_random_scores_are_drawn_from_wherever_one_is() -> None:
    async with AttnApp(EXAMPLE, "dots").run_test(size=(120, 40)) as pilot:
        screen = await take_first(pilot, "random scores")
        assert screen.NAME == "explore"
        assert screen.present.experiment.vectors.n_keys == 64


@pytest.mark.slow
async def test_a_parameter_of_the_present_rule_is_found_and_moved_where_it_stands() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        await take_first(pilot, "temperature 2")
        assert (await find_all(pilot, "temp"))[0].startswith("T: 2")
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen.focused, StepField))
        screen = await press(pilot, "up")
        assert screen.present.draft.setup.scale.formula == "1/3"
        # Its number stands in its line, and not in that of the rule as well.
        assert "rule temperature ▼" in read(pilot)


@pytest.mark.slow
async def test_a_causal_mask_is_on_what_is_shown() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        typed = [*"q: 1 0; 0 1", "enter", *"K: [[1, 0], [0, 1]]", "escape"]
        before = await burst(pilot, "e", "ctrl+u", *typed)
        text = before.present.draft.text
        screen = await take_first(pilot, "causal")
        assert screen.NAME == "explore"
        assert screen.present.draft.text == text
        assert screen.present.draft.setup.mask.causal
        assert screen.present.experiment.vectors[0].n_attended == 1
        # What was hidden before stays hidden.
        await press(pilot, "u")
        await take_first(pilot, "mask 1")
        screen = await take_first(pilot, "causal")
        assert str(screen.present.draft.setup.mask) == "causal, 1"
        await take_first(pilot, "causal")
        assert "mask is causal, 1 already" in notices(pilot)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "words", "text"),
    [
        ("claims", "1 2 3", "1 2 3"),
        ("dots", "scores 3, 1, 0.5, -2", "3, 1, 0.5, -2"),
        ("explore", "1,2,3; 4,1,1", "1,2,3; 4,1,1"),
        ("explore", "n 512", "n = 512, seed = 1"),
        ("explore", "n 1,000", "n = 1000, seed = 1"),
        ("explore", "n = 8, seed = 3", "n = 8, seed = 3"),
    ],
)
async def test_scores_that_are_typed_are_taken(name: str, words: str, text: str) -> None:
    async with AttnApp(EXAMPLE, name).run_test(size=(120, 40)) as pilot:
        screen = await take_first(pilot, words)
        assert screen.NAME == "explore"
        assert screen.present.draft.text == text
        # What was typed before is a step back.
        assert (await press(pilot, "u")).present.draft.text == EXAMPLE.text


@pytest.mark.slow
async def test_a_value_that_will_not_do_is_told_and_moves_nothing() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        before = (await shown(pilot)).present
        for words in ("mask 9", "mask foo", "d_k abc", "sink big", "softcap -1"):
            pilot.app.clear_notifications()
            screen = await take_first(pilot, words)
            assert screen.NAME == "explore", words
            assert screen.present.draft == before.draft, words
            assert "expected" in notices(pilot), words


WHY = {
    "one of each kind": {
        "causal": "Attention is causal already",
        "d_k 1024": "d_k is 1,024 already",
        "map of weights": "Map of weights is on the screen already",
        "largest": "The gradient is that of the largest weight already",
    },
    "others": {
        "mask causal": "Attention is causal already",
        "rule inverse-sqrt": "rule is inverse-sqrt already",
        "fp64": "precision is float64 already",
        "dark": "The theme is attn already",
        "attention": "Attention is on the screen already",
        "qk norm yes": "QK-norm acts on q and k",
        "largest": "The gradient is that of the largest weight already",
        "seed 64": "seed is of drawn scores",
    },
}
"""What is said of choices that change nothing; the largest weight is a setting of Explore."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", slow_after(1, WHY))
async def test_a_choice_that_changes_nothing_says_why(kind: str) -> None:
    async with AttnApp(EXAMPLE, "attention").run_test(size=(120, 40)) as pilot:
        before = (await shown(pilot)).present
        for words, why in WHY[kind].items():
            pilot.app.clear_notifications()
            screen = await take_first(pilot, words)
            assert why in notices(pilot), words
            assert screen.present.draft == before.draft
        assert screen.NAME == "explore"


@pytest.mark.slow
async def test_what_fits_nothing_says_so_and_offers_the_three_nearest() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        before = (await shown(pilot)).present
        first, *near = await find_all(pilot, "temprature [/b]")
        assert first.startswith("Nothing has all of “temprature [/b]”")
        assert len(near) == 3
        assert "rule: temperature: 1/T" in near[0]
        screen = await press(pilot, "enter")
        # Enter alone chooses nothing that was not typed.
        assert screen.present == before
        assert "Nothing has all of “temprature [/b]”" in notices(pilot)
        assert all("d_k" not in hit for hit in await find_all(pilot, "/npy"))


@pytest.mark.parametrize(
    "paste", slow_after(0, ["[/]\\[b]\x1b[31m\u202e", "0\n1\r\n2", "x" * 100_000, "√" * 9, "="])
)
async def test_anything_can_be_pasted_into_it(paste: str) -> None:
    async with AttnApp(EXAMPLE).run_test(size=(80, 24)) as pilot:
        before = (await shown(pilot)).present
        await press(pilot, "slash")
        pilot.app.post_message(Paste(paste))
        await shown(pilot)
        palette = pilot.app.screen
        assert isinstance(palette, CommandPalette)
        assert palette.query_one(CommandList).option_count
        screen = await press(pilot, "escape", "escape")
        assert screen.present == before


TEN = ["Type scores", "Set d_k", "Choose a rule", "Choose a model", "Try an example",
       "Open a file", "Save what is shown", "Settings", "Take the tour", "Help"]  # fmt: skip


@pytest.mark.parametrize("name", slow_after(1, ["claims", "explore", "dots"]))
async def test_it_begins_with_ten_things_to_do_and_says_that_typing_finds_the_rest(
    name: str,
) -> None:
    async with AttnApp(EXAMPLE, name).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        await find_all(pilot, "")
        palette = pilot.app.screen
        assert "Type to find the rest" in palette.query_one(Input).placeholder
        lines = [str(each.prompt) for each in palette.query_one(CommandList).options]
        titles = [line.split("  (")[0] for line in lines]
        assert len(titles) == 10
        # Claims fix their rules.
        assert titles[:8] == [each for each in TEN if name != "claims" or "Choose" not in each][:8]


@pytest.mark.slow
async def test_scores_are_typed_from_wherever_one_is() -> None:
    async with AttnApp(EXAMPLE, "dots").run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        await press(pilot, "slash", "enter")
        screen = await press(pilot, *"1, 2", "escape")
        assert screen.NAME == "explore"
        assert screen.present.draft.text == "1, 2"


async def open_list(pilot: Pilot[None], key: str) -> None:
    """Open the list of a key; without one that of themes, which the palette finds."""
    if key:
        await press(pilot, key)
        return
    await find_all(pilot, "theme")
    await burst(pilot, "enter")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "present", "choice"),
    slow_after(
        1,
        [("r", "inverse-sqrt: 1/√d_k", "mup"), ("m", "Gemma-2-9B", "gpt 2"), ("", "attn", "nord")],
    ),
)
async def test_lists_mark_the_present_choice(key: str, present: str, choice: str) -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        if key == "m":
            await take_first(pilot, "gemma-2-9b")
        await open_list(pilot, key)
        options = pilot.app.screen.query_one(CommandList).options
        lines = [str(each.prompt).split("\n")[0] for each in options]
        assert [line for line in lines if "✓" in line] == [f"{present}  ✓ chosen"]
        await press(pilot, *choice, "enter")
        await open_list(pilot, key)
        options = pilot.app.screen.query_one(CommandList).options
        (line,) = [str(each.prompt) for each in options if "✓ chosen" in str(each.prompt)]
        assert line.casefold().replace("-", " ").startswith(choice)


@pytest.mark.slow
async def test_the_name_of_a_model_leads_to_the_rule_that_it_is_known_for() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        for words, rule in (("gemma", "fixed"), ("bert", "inverse-sqrt"), ("t5", "none")):
            hits = await find_all(pilot, words, "r")
            assert hits[0].strip(" ●").startswith(f"{rule}:"), words
            await press(pilot, "escape")


@pytest.mark.slow
async def test_a_parameter_is_typed_into_the_list_of_rules() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        screen = await press(pilot, "r", *"temperature 0.5", "enter")
        assert screen.present.draft.setup.scale.formula == "1/0.5"


@pytest.mark.slow
async def test_keys_in_one_burst_choose_what_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    search = PaletteProvider.search

    async def slowly(provider: PaletteProvider, query: str) -> Hits:
        for _ in range(500):
            await asyncio.sleep(0)
        async for hit in search(provider, query):
            yield hit

    monkeypatch.setattr(PaletteProvider, "search", slowly)
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        screen = await burst(pilot, *"/1/d_k", "enter")
        assert screen.present.draft.setup.scale.rule == "inverse"
        await burst(pilot, *"/explosion", "enter")
        screen = await shown(pilot)
        assert screen.NAME == "claims"
        assert screen.headline.startswith("“(The book")
        await pilot.press("slash", *"load", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, FileScreen))


@pytest.mark.parametrize("before", ["none", "causal"])
async def test_every_change_is_offered_once_and_what_is_already_where_nothing_else_fits(
    before: str,
) -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        screen.ask(MASK.edit(parse_mask("" if before == "none" else before)))
        await shown(pilot)
        hits = [text.split("\n")[0] for text in await find_all(pilot, "causal")]
        of_mask = [text for text in hits if text.startswith(("mask: ", "causal"))]
        # The last one opens the field of the mask.
        if before == "none":
            assert of_mask == ["mask: none → causal", "mask: none"]
        else:
            assert of_mask == ["mask: causal, as it is now", "causal: yes → no", "mask: causal"]


async def test_a_switch_is_found_by_its_names_once() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        hits = [text.split("\n")[0] for text in await find_all(pilot, "method")]
        assert [text for text in hits if text.startswith("method")] == ["method: stable → naive"]


@pytest.mark.slow
@pytest.mark.parametrize("key", slow_after(1, ["slash", "r"]))
async def test_a_rule_that_does_nothing_by_itself_opens_the_row_of_what_it_needs(key: str) -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        first = (await find_all(pilot, "temperature", key))[0]
        assert "T is the temperature" in first or key == "r"
        await burst(pilot, "enter")
        await until(pilot, lambda: not isinstance(pilot.app.screen, CommandPalette))
        screen = await shown(pilot)
        assert screen.query_one("#set-temperature-T").has_focus
        screen = await press(pilot, *"4", "enter")
        assert "Divided by 4" in screen.headline
