"""The screen of Heads: a capture opened, its map, its list, the doctor, and the way to a head."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from attn_tui.captures.capture import HeadId
from attn_tui.captures.example import tensors
from attn_tui.captures.writer import write_safetensors
from attn_tui.commands.program import program
from attn_tui.engine.settings import Settings
from attn_tui.old.tui import filing
from attn_tui.old.tui.heads.screen import HeadsScreen
from tests.engine.captured import heads, write, write_unusual
from tests.old.tui.at_heads import at_heads, here
from tests.old.tui.person import MEDIUM, NARROW, WIDE, Person, at_screen


def lined(person: Person) -> Sequence[HeadId]:
    return person.screen(HeadsScreen).scene(person.asked).lined


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
async def test_what_saturates_is_said_first(size: tuple[int, int]) -> None:
    async with at_heads(size) as person:
        said = " ".join(line.strip() for line in person.lines[1:3])
        assert re.search(r"\b13\b.* saturate.* layer \d head \d is the sharpest", said)
        assert " ".join(map(str, here(person))) in said.replace("layer ", "").replace("head ", "")
        person.sees("Map", "~100 %")


async def test_without_a_capture_it_says_how_to_get_one_and_enter_makes_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    async with at_heads(MEDIUM, capture=()) as person:
        person.sees("attn-tui recipe transformers", "attn-tui demo DIR", "o  opens one")
        await person.press("enter")
        await person.until_sees("heads 13 saturate")
        person.sees("example", "8 layers × 8 heads")
        await person.press("u")
        person.sees("No capture is open.")
        await person.press("U")
        await person.until_sees("8 layers × 8 heads")
        await person.press("q")
    # What leaving prints asks the same, wherever and whenever: nothing was written that goes.
    assert person.app.parting == "attn-tui heads example"
    assert not [*tmp_path.iterdir()]
    (tmp_path / "example").mkdir()
    result = CliRunner().invoke(program, person.app.parting.split()[1:])
    assert "Of 64 heads 13 saturate" in result.stdout


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
async def test_heads_that_do_not_count_are_marked_on_map_and_list(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    made = heads(layers=1)
    first = made[0, 0]
    first.output[:] = np.random.default_rng(1).standard_normal(first.output.shape)
    path = str(write(tmp_path / "other.safetensors", made))
    async with at_heads(size, capture=(path,)) as person:
        person.sees("? does not count")
        # The cursor begins at one that does.
        assert here(person) != (0, 0)
        await person.press("left", "left", "left", "left", "left")
        person.sees("?    21" if size != NARROW else "largest p 20.5 %?")
        await person.press("t")
        person.sees("?")


async def test_arrows_move_the_cursor_and_a_run_is_one_step() -> None:
    async with at_heads(layer=0, head=0) as person:
        await person.hold("right", 3)
        await person.hold("j", 2)
        assert here(person) == (2, 3)
        person.sees("Layer 2 head 3")
        await person.hold("left", 9)
        assert here(person) == (2, 0)
        await person.press("u", "u", "u")
        assert here(person) == (0, 0)


async def test_another_statistic_is_another_map_with_another_headline() -> None:
    async with at_heads() as person:
        await person.press("e")
        await person.write("max_logit")
        await person.press("enter")
        person.sees("The largest logit is", "none of 64 heads passes 100", "the largest logit ─")
        await person.put("tau", "30")
        person.sees("heads pass 30")


async def test_each_number_of_a_head_says_what_it_is_over() -> None:
    async with at_heads() as person:
        lines = [re.split("  +", line[73:].strip()) for line in person.lines[8:24]]
        said = {name: " ".join(rest) for name, *rest in lines}
        assert said["largest p"].endswith("% mean over rows")
        assert said["p ≥ .9995"].endswith("% of rows")
        assert said["float16 margin"].endswith("times to 65,504")
        assert said["bfloat16 step"].endswith("at largest z")
        assert said["QK-clip"].endswith("factor of s")
        assert said["dead gradient"].endswith("% of rows: < .001")
        assert re.search(r" row \d+, key 0$", said["largest z"])
        person.sees("layer 0")
    async with at_heads(MEDIUM) as person:
        person.sees("largest p ~100 %, mean over rows")


async def test_rows_are_sampled_until_every_row_is_wanted() -> None:
    async with at_heads(rows=16) as person:
        person.sees("16 of 128 rows", "their sampled rows put", "16 rows a head", "±")
        await person.press("w")
        person.sees("all 128 rows", "their rows put", "every row")
        # No more than these would be sampled again.
        person.misses("±", "w Exact")
        await person.press("t", "t")
        person.misses("e Statistic")


async def test_the_list_has_what_to_look_at_first_on_top() -> None:
    async with at_heads(MEDIUM) as person:
        await person.press("t")
        # A mean is told from a share of rows.
        assert person.lines[6].split()[:4] == ["mean", "of", "rows", "of"]
        lines = person.lines[7:-1]
        found = [re.search(r" ~?(\d[\d.]*) %", line) for line in lines]
        shares = [float(share[1]) for share in found if share]
        assert shares[0] == 100
        assert shares == sorted(shares, reverse=True)
        first = here(person)
        await person.press("down")
        assert here(person) != first
        await person.put("only", "layer 3")
        assert {head.layer for head in lined(person)} == {3}
        await person.put("only", "saturated_share > 0.5")
        assert len(lined(person)) == 6
        await person.put("only", "layer 99")
        person.sees("No head is like that")


async def test_what_to_do_without_a_capture_is_whole_on_a_narrow_screen() -> None:
    async with at_heads(NARROW, capture=()) as person:
        person.sees("opens a small one, made here", "attn-tui recipe transformers")
        person.misses("…")


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
async def test_nan_is_said_counted_and_placed(size: tuple[int, int], tmp_path: Path) -> None:
    made = tensors(2)
    made["1.q"] = made["1.q"].copy()
    made["1.q"][0, 5, 40:44] = np.nan
    write_safetensors(tmp_path / "odd.safetensors", made)
    async with at_heads(size, capture=(str(tmp_path / "odd.safetensors"),), layer=1, head=5) as at:
        said = " ".join(line.strip() for line in at.lines[1:3])
        assert re.search(r"meets? NaN.*: layer 1 head 5\.$", said)
        # In two lines beside the map.
        seen = " ".join(
            " ".join(line[size[0] - 47 :] if size == WIDE else line for line in at.lines).split()
        )
        assert "4 meet NaN or infinity" in seen
        at.sees("! meets NaN")
        if size != NARROW:
            assert "the first row 40" in seen
        await at.press("enter")
        at.sees("esc goes back" if size != NARROW else "esc")
        # The other rows are right, and shown.
        where = at.line_with("q holds 128 NaN")
        assert "row 40, column 0" in where
        meet = "4 meet NaN." if size == NARROW else "4 of 128 queries meet NaN."
        assert meet in " ".join(" ".join(at.lines[1:3]).split())
        if size != NARROW:
            at.sees("query 127 sees 128 keys", "effective keys")
        await at.put("query", "41")
        if size != NARROW:
            at.sees("query 41 sees 42 keys", "meets NaN or infinity: it has no weights")
        await at.press("enter")
        at.sees("to open" if size == NARROW else "there is nothing to open")
        assert at.app.current_mode == "attention"
        await at.run("looking.tab('rows')")
        at.sees("NaN")


@pytest.mark.parametrize("patience", [filing.PATIENCE, 0.0])
async def test_enter_opens_the_head_and_escape_comes_back(
    monkeypatch: pytest.MonkeyPatch, patience: float
) -> None:
    # A dialogue that says how far it is may come between.
    monkeypatch.setattr(filing, "PATIENCE", patience)
    async with at_heads(layer=4, head=7) as person:
        before = person.asked.draft
        await person.press("enter")
        person.sees("Layer 4 head 7 of a capture: esc goes back")
        assert person.app.current_mode == "attention"
        assert person.asked.draft.source == "capture"
        assert person.asked.draft.setup.mask.causal
        await person.press("escape")
        assert person.app.current_mode == "heads"
        assert person.asked.draft == before


async def test_a_file_that_cannot_be_read_says_why_where_it_was_named(tmp_path: Path) -> None:
    (tmp_path / "broken.safetensors").write_bytes(b"\0" * 9)
    write_safetensors(tmp_path / "other.safetensors", {"x": np.zeros((2, 2), np.float32)})
    async with at_heads(MEDIUM, capture=()) as person:
        for name in ("broken.safetensors", "other.safetensors", "nowhere.safetensors"):
            await person.press("o")
            await person.press("ctrl+u")
            await person.paste(str(tmp_path / name))
            await person.press("enter")
            person.sees("expected")
            assert name in person.text
            await person.press("escape")
        assert person.settings(Settings).capture == ()


async def test_names_that_no_tensor_has_are_refused_beside_their_setting() -> None:
    async with at_heads(MEDIUM, names="of.{layer}.{part}") as person:
        person.sees("names: no tensor is called 'of.{layer}.{part}'", "a name such as '0.q'")


async def test_what_shapes_leave_open_is_asked_beside_its_setting(tmp_path: Path) -> None:
    path, numbers = tmp_path / "square.safetensors", np.ones((1, 8, 8, 4), np.float32)
    write_safetensors(path, {"q": numbers, "k": numbers})
    async with at_heads(WIDE, capture=(str(path),)) as person:
        person.sees("layout: q of layer 0 is", "q=bhnd,k=bhnd or q=bnhd,k=bnhd")
        await person.press("slash")
        await person.write("layouts bnhd")
        await person.press("enter")
        person.sees("1 layer × 8 heads")


async def test_a_capture_is_opened_from_any_instrument(tmp_path: Path) -> None:
    path = tmp_path / "mine.safetensors"
    write_safetensors(path, tensors(2))
    async with at_screen(MEDIUM) as person:
        await person.press("o", "ctrl+u")
        await person.paste(str(path))
        await person.press("enter")
        person.sees("2 layers × 8 heads")
        assert person.app.current_mode == "heads"
        assert person.app.line == f"attn-tui heads {path}"


async def test_the_command_line_says_what_is_asked() -> None:
    async with at_heads(rows=None, seed=7, statistic="entropy", tau=50.0) as person:
        line = person.app.line
    assert line.endswith("--statistic entropy --rows all --seed 7 --tau 50")


async def test_a_rule_that_is_asked_for_stays_where_a_fit_finds_another_m(tmp_path: Path) -> None:
    path = tmp_path / "scaled.safetensors"
    write_unusual(path, multiplier=8.0)
    forced = "Weights as asked, which do not give the captured output."
    async with at_heads(capture=(str(path),)) as person:
        assert "m = 8" in person.lines[3]
        await person.press("r")
        person.sees("inverse-sqrt 1/√d_k", "÷ 4 as now")
        await person.press("escape")
        for key, typed in (("r", "inverse-sqrt"), ("slash", "rule inverse-sqrt")):
            await person.press(key)
            await person.write(typed)
            await person.press("enter")
            await person.until_sees(forced)
            assert "m = 8" not in person.lines[3]
            assert person.app.line == f"attn-tui heads {path} --rule inverse-sqrt"
            await person.press("r", "a", "u", "t", "o", "enter")
            await person.until_sees("m = 8")
            assert person.app.line == f"attn-tui heads {path}"
        await person.put("what_if", "yes")
        await person.until_sees(forced)
        await person.put("rule", "inverse")
        assert person.app.line.endswith("--rule inverse")
        await person.run("fields.change('what_if', 1)")
        person.sees("Another rule is taken whatever the output says")


async def test_a_rule_by_layer_is_that_of_each_head() -> None:
    async with at_heads(layer=4, head=7) as person:
        await person.press("r")
        await person.write("per-layer")
        person.sees("l = 4: layer")
        await person.press("enter")
        person.sees("m = 1/(√d_k·(4 + 1))")
        assert person.app.line.endswith("--rule per-layer")
        await person.press("up")
        person.sees("m = 1/(√d_k·(3 + 1))")


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
async def test_numbers_of_a_mask_that_misses_the_output_say_so_on_both_screens(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    made = tensors(1)
    noise = np.random.default_rng(2).standard_normal(made["0.q"].shape)
    path = tmp_path / ("of_a_long_name_" * 2 + "noise.safetensors")
    write_safetensors(path, {**made, "0.out": noise.astype(np.float32)})
    async with at_heads(size, capture=(str(path),)) as person:
        assert "misses" in person.lines[3]
        await person.run("looking.tab('doctor')")
        assert "numbers below are of that mask" not in person.text
        await person.press("4")
        person.sees("esc goes back")
        assert "misses" in person.line_with("misses")
        await person.click("#charts", 8, 5)
    async with at_heads(size) as person:
        person.misses("misses")
        await person.press("4")
        person.sees("esc goes back")
        person.misses("misses")


@pytest.mark.parametrize(
    ("size", "head", "row"),
    [
        (WIDE, "causal, sink b = 1.50, by fit", "causal, sink b = 1.50, found by the doctor's fit"),
        (MEDIUM, "causal, sink b = 1.50, by fit", "causal, sink b = 1.50, found by the doctor's"),
        (NARROW, "causal, sink 1.50", "causal, sink b = 1.50, by fit"),
    ],
)
async def test_a_sink_that_a_fit_finds_is_named_on_both_screens(
    tmp_path: Path, size: tuple[int, int], head: str, row: str
) -> None:
    write_unusual(tmp_path / "s.safetensors", sink=1.5)
    async with at_heads(size, capture=(str(tmp_path / "s.safetensors"),)) as person:
        assert head in person.lines[3]
        await person.press("4")
        person.sees("esc goes back")
        assert row in person.line_with("causal, sink")
    async with at_heads(size) as person:
        person.misses("fit")


async def test_a_capture_that_changes_on_the_disk_is_noticed_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "mine.safetensors"
    write_safetensors(path, tensors(2))
    async with at_heads(capture=(str(path),)) as person:
        screen = person.screen(HeadsScreen)
        assert screen.answer
        mark = screen.answer.table.capture.fingerprint
        await screen.disk.verify(mark)
        await person.press("right")
        person.misses("has changed")
        write_safetensors(path, tensors(3))
        await screen.disk.verify(mark)
        await person.until_sees("it has changed since it was opened: space reads it again")
        # What was computed stays.
        person.sees("Layer 1 head")
        await person.press("space")
        person.sees("3 layers × 8 heads")
        person.misses("has changed")


async def test_4_goes_to_the_head_under_the_cursor_and_to_rows_of_ones_own() -> None:
    async with at_heads() as person:
        await person.press("4")
        person.sees("Layer 4 head 7 of a capture: esc goes back")
        await person.press("escape")
        assert person.app.current_mode == "heads"
        await person.press("left", "4")
        person.sees("Layer 4 head 6 of a capture: esc goes back")
        await person.press("5", "4")
        assert person.asked.experiment.source.place == (0, 4, 6)  # type: ignore[attr-defined]
        await person.press("5", "right", "4")
        person.sees("Layer 4 head 7 of a capture: esc goes back")


async def test_4_goes_to_rows_that_are_asked_where_there_are_some() -> None:
    async with at_heads() as person:
        person.app.become(replace(person.asked.draft, text="1 2 3\n3 2 1"))
        await person.press("4")
        assert person.app.current_mode == "attention"
        person.sees("2 rows")
