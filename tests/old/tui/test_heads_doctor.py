"""The doctor on the screen of Heads: what is said, found and expected, and as text."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from shlex import split
from typing import Any

import pytest
from click.testing import CliRunner

from attn_tui.captures.demo import demos, tensors_of
from attn_tui.captures.example import tensors
from attn_tui.captures.suffixes import EXAMPLE_NAME
from attn_tui.captures.writer import write_safetensors
from attn_tui.commands.program import program
from attn_tui.compute.fit.simulate import Arithmetic
from attn_tui.doctor.examine import examine
from attn_tui.doctor.report import Report
from attn_tui.engine.settings import Settings
from attn_tui.old.tui.heads import examining
from attn_tui.old.tui.heads.screen import HeadsScreen
from attn_tui.old.tui.picture import screen_picture
from attn_tui.report.doctor.headline import headline
from attn_tui.report.headline import Headline
from tests.doctor.captures import write
from tests.old.tui.at_heads import at_heads, here
from tests.old.tui.person import MEDIUM, NARROW, WIDE


async def test_an_interval_whose_ends_look_alike_is_said_by_its_half(tmp_path: Path) -> None:
    made = Arithmetic(0.25, format="float32")
    path = write(tmp_path / "a.safetensors", made)
    async with at_heads(WIDE, capture=(path,)) as person:
        await person.press("T")
        await person.until_sees("0.250000")
        assert re.search("0\\.250000 +± [1-9]e-0[89]", person.text)


async def test_the_doctor_says_what_it_was_computed_with() -> None:
    async with at_heads() as person:
        await person.press("t", "t")
        person.sees("All 64 heads agree: m = 0.176 to 0.180 = 1/√d_k (d_k = 32), mask causal")
        # The list has room for intervals where it leaves out how heads were rounded.
        person.sees("0.176789  0.176755 to 0.176961  none, or above 25.4")
        person.misses("saturate")
        await person.press("i")
        person.sees("expected by", "the capture's metadata")


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
async def test_a_fault_is_said_first_and_the_first_head_that_has_it_is_looked_at(
    size: tuple[int, int], tmp_path: Path
) -> None:
    demo = next(each for each in demos() if each.name == "layer-scale")
    write_safetensors(tmp_path / "capture.safetensors", tensors_of(demo))
    (tmp_path / "config.json").write_text(json.dumps(demo.config))
    asked = {"capture": (str(tmp_path / "capture.safetensors"),), "config": str(tmp_path)}
    async with at_heads(size, **asked) as person:
        await person.run("looking.tab('doctor')")
        await person.press("f5")
        said = " ".join(line.strip() for line in person.lines[1:3])
        heads = "Differs: " if size == NARROW else "8 of 12 heads differ, 4 agree: "
        assert said.startswith(f"{heads}m of layer 1 = 0.5/(2·√64): the layer's scale twice?")
        assert here(person) == (1, 0)
        person.sees("found", "expected", "≠ 0.0625", "value scale", "soft cap", "causal")
        assert "▸    1     0  differs" in person.text
        await person.press("down")
        assert here(person) == (1, 1)
        if size == MEDIUM:
            (other,) = [each for each in demos() if each.name == "no-scale"]
            (tmp_path / "config.json").write_text(json.dumps(other.config))
            await person.put("seed", "2")
            person.sees("config, ", "it has 1 layer", "or none: tab, expects, del")


async def test_the_command_of_the_doctor_prints_what_he_says(tmp_path: Path) -> None:
    demo = next(each for each in demos() if each.name == "layer-scale")
    capture, config = tmp_path / "a capture.safetensors", tmp_path / "config.json"
    # Another layout than is recognised, and names of its own.
    made = {f"blk.{name}": part.swapaxes(1, 2) for name, part in tensors_of(demo).items()}
    made |= {f"blk.{layer}.out": tensors_of(demo)[f"{layer}.out"] for layer in range(3)}
    write_safetensors(capture, made)
    config.write_text(json.dumps(demo.config))
    asked = {
        "capture": (str(capture),), "config": str(config), "seed": 7, "layouts": "bnhd",
        "names": "blk.{layer}.{part}", "rows": 9, "mask": "causal", "layer": 1, "head": 2,
    }  # fmt: skip
    async with at_heads(WIDE, **asked) as person:
        assert person.app.line.startswith("attn-tui heads")
        await person.press("t", "t")
        line, said = person.app.line, person.screen(HeadsScreen).said()
        assert screen_picture(person.screen(HeadsScreen)).line == line
    printed = CliRunner().invoke(program, split(line)[1:]).stdout
    assert printed.startswith("differs: m of layer 1")
    texts = [re.sub(r"; [\d.]+ s\b", "", text) for text in (printed, said)]
    assert texts[0] == texts[1]


async def test_where_the_doctor_cannot_say_anything_no_other_text_is_read(tmp_path: Path) -> None:
    path = tmp_path / "capture.safetensors"
    write_safetensors(path, tensors(1), {"model_type": "llama", "head_dim": "32"})
    async with at_heads(capture=(str(path),), rows=2) as person:
        assert person.screen(HeadsScreen).said()
        await person.press("t", "t")
        person.sees("it has 1 head a layer, and 8 were captured")
        assert not person.screen(HeadsScreen).said()


async def test_the_doctor_says_nothing_of_a_capture_that_is_closed() -> None:
    async with at_heads(MEDIUM, capture=()) as person:
        await person.press("enter")
        await person.until_sees("heads 13 saturate")
        await person.run("looking.tab('doctor')")
        await person.until_sees("agree")
        await person.press("u")
        await person.until_sees("No capture is open.")
        person.misses("agree")


async def test_what_is_expected_is_of_the_capture_that_is_opened(tmp_path: Path) -> None:
    made = {each.name: each for each in demos() if each.name in ("healthy", "mla")}
    for name, demo in made.items():
        (tmp_path / name).mkdir()
        write_safetensors(tmp_path / name / "capture.safetensors", tensors_of(demo))
        (tmp_path / name / "config.json").write_text(json.dumps(demo.config))
    fused = tmp_path / "fused"
    fused.mkdir()
    (fused / "config.json").write_text(json.dumps(made["healthy"].config))
    in_one_axis = {
        # The output is [batch, positions, heads, dim], as transformers has it.
        name: (each if name.endswith("out") else each.swapaxes(1, 2)).reshape(1, 96, -1)
        for name, each in tensors_of(made["healthy"]).items()
    }
    write_safetensors(fused / "capture.safetensors", in_one_axis)
    alone, wrong = tmp_path / "alone", tmp_path / "wrong"
    for folder in (alone, wrong):
        folder.mkdir()
        write_safetensors(folder / "capture.safetensors", tensors_of(made["healthy"]))
    (wrong / "config.json").write_text(json.dumps(made["mla"].config))
    (alone / "later.safetensors").write_bytes((alone / "capture.safetensors").read_bytes())
    async with at_heads(capture=()) as person:

        async def expected_of(path: Path) -> str:
            await person.press("o", "ctrl+u")
            await person.paste(str(path))
            await person.press("enter")
            assert person.settings(Settings).capture == (str(path),)
            return person.settings(Settings).config

        assert await expected_of(tmp_path / "mla" / "capture.safetensors") == str(
            tmp_path / "mla" / "config.json"
        )
        assert await expected_of(alone / "capture.safetensors") == ""
        assert await expected_of(wrong / "capture.safetensors") == ""
        healthy = str(tmp_path / "healthy" / "config.json")
        assert await expected_of(tmp_path / "healthy" / "capture.safetensors") == healthy
        # Heads that are one axis are those of the configuration beside them.
        assert await expected_of(tmp_path / "fused" / "capture.safetensors") == str(
            tmp_path / "fused" / "config.json"
        )
        assert person.settings(Settings).layouts.startswith("q=bn(4d),k=bn(")
        assert await expected_of(tmp_path / "healthy" / "capture.safetensors") == healthy
        assert person.settings(Settings).layouts == ""
        # Whoever names one has it for the captures of a folder.
        await expected_of(alone / "capture.safetensors")
        await person.put("config", healthy)
        assert await expected_of(alone / "later.safetensors") == healthy


def test_words_of_all_heads_are_not_found_after_each(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, said = [0.0], []
    monkeypatch.setattr("time.monotonic", lambda: clock[0])

    def looked(*given: Any) -> Iterator[Report]:
        for report in examine(*given):
            clock[0] += 0.2
            yield report

    def slow(report: Report) -> Headline:
        clock[0] += 0.02 * len(report.findings)
        said.append(len(report.findings))
        return headline(report)

    monkeypatch.setattr("attn_tui.doctor.examine.examine", looked)
    monkeypatch.setattr(examining, "headline", slow)
    *_, last = examining.examined(Settings(capture=(EXAMPLE_NAME,)), lambda: False)
    assert len(last.lines) == said[-1] == 64
    assert len(said) < 16
