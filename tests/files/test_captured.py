"""A head of a capture as a source of scores: its text, its JSON, and what is refused."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from attn_tui.captures.source import Captured
from attn_tui.captures.suffixes import EXAMPLE_NAME
from attn_tui.captures.writer import write_safetensors
from attn_tui.commands.line import attention, show
from attn_tui.commands.program import program
from attn_tui.compute.attention.answer import answer
from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.mask import Mask
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.console.asking import asked_by
from attn_tui.engine.settings import Settings
from attn_tui.files.captured import as_captured, captured_at, captured_text, parse_captured
from attn_tui.files.codec import experiment_from_plain, experiment_to_plain, read_experiment
from attn_tui.files.draft import Draft, draft_of, open_draft, parse
from attn_tui.files.formats import read_file
from attn_tui.files.history import Question
from tests.engine import captured as made_up

HEADS, N, D = 2, 70, 4


def written(path: Path, n_queries: int = N, more: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Write layers 0 and 3, and return q and k of layer 3, head 1."""
    draw = np.random.default_rng(4)
    tensors = {}
    for layer in (0, 3):
        tensors[f"{layer}.q"] = draw.standard_normal((1, HEADS, n_queries, D)).astype(np.float16)
        tensors[f"{layer}.k"] = draw.standard_normal((1, HEADS, N, D)).astype(np.float16)
        tensors[f"{layer}.v"] = draw.standard_normal((1, HEADS, N, D)).astype(np.float16)
    write_safetensors(path, {**tensors, **(more or {})})
    return tuple(tensors[f"3.{part}"][0, 1].astype(np.float64) for part in "qk")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "c.safetensors"


def test_scores_are_products_of_what_was_captured(file: Path) -> None:
    q, k = written(file)
    experiment = Experiment(captured_at((str(file),), layer=3, head=1))
    assert experiment.setup.d_k == D
    found = np.array([vector.scores for vector in experiment.vectors])
    np.testing.assert_allclose(found, q @ k.T, rtol=1e-12, atol=1e-12)
    assert [vector.name for vector in experiment.vectors][:2] == ["q0", "q1"]
    normal = Experiment(experiment.source, Setup(scale=Scale(qk_norm=True)))
    units = [each / np.sqrt(np.square(each).mean(axis=1, keepdims=True)) for each in (q, k)]
    scores = normal.vectors[5].scores
    np.testing.assert_allclose(scores, units[0][5] @ units[1].T, rtol=1e-9)
    rounded = Experiment(experiment.source, Setup(precision=Precision(vectors="float16")))
    np.testing.assert_allclose(rounded.vectors[5].scores, (q @ k.T)[5], rtol=1e-12)


def test_one_row_alone_is_that_row(file: Path) -> None:
    q, k = written(file)
    one = Experiment(captured_at((str(file),), layer=3, head=1, row=66), Setup(mask=Mask((), True)))
    (vector,) = one.vectors
    assert (vector.name, vector.n_attended) == ("q66", 67)
    np.testing.assert_allclose(vector.scores[:67], (q @ k.T)[66, :67], rtol=1e-12, atol=1e-12)


def test_a_head_is_causal_unless_something_else_is_known(file: Path) -> None:
    written(file)
    experiment = Experiment(captured_at((str(file),), layer=3))
    assert next(answer(experiment)).attended.tolist() == [*range(1, N + 1)]
    mask = np.ones((1, 1, N, N), bool)
    mask[..., 5:] = False
    written(file, more={"3.mask": mask})
    known = Experiment(captured_at((str(file.rename(file.with_stem("d"))),), layer=3))
    assert next(answer(known)).attended.tolist() == [5] * N


def test_fewer_queries_than_keys_are_the_last_ones(file: Path) -> None:
    written(file, n_queries=3)
    experiment = Experiment(captured_at((str(file),), layer=3))
    assert next(answer(experiment)).attended.tolist() == [N - 2, N - 1, N]
    result = CliRunner().invoke(program, ["attention", "--capture", str(file), "--layer", "3"])
    assert "queries are taken as those of the last keys" in " ".join(result.stdout.split())


def test_text_json_and_lines_ask_it_again(file: Path) -> None:
    written(file)
    for row in (None, 7):
        experiment = Experiment(captured_at((str(file),), layer=3, head=1, row=row), Setup(D))
        source = experiment.source
        assert isinstance(source, Captured)
        assert parse_captured(captured_text(source)) is source
        plain = json.loads(json.dumps(experiment_to_plain(experiment)))
        assert plain["capture"]["row"] == row
        assert experiment_from_plain(plain).source is source
        draft = draft_of(experiment)
        assert parse(draft) == experiment
        for write in (show, attention):
            assert asked_by(write(Question(draft, experiment)))[1].source is source


def test_what_was_saved_opens_from_anywhere(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(file)
    (tmp_path / "config.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    settings = Settings(("c.safetensors", "c*.safetensors"), config="config.json")
    experiment = Experiment(captured_at(("c.safetensors",), layer=3), Setup().put(settings))
    (saved := tmp_path / "saved.json").write_text(json.dumps(experiment_to_plain(experiment)))

    def opened(path: Path) -> list[str]:
        draft = open_draft(str(path), Setup())
        source, asked = parse(draft).source, draft.setup.get(Settings)
        assert isinstance(source, Captured)
        assert source.place == (0, 3, 0)
        assert read_experiment(str(path)).source is source
        assert np.array_equal(read_file(str(path))[0].scores, parse(draft).vectors[0].scores)
        return [*source.paths, *asked.capture, asked.config]

    names = ["c.safetensors", "c.safetensors", "c*.safetensors", "config.json"]
    (elsewhere := tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(elsewhere)
    assert opened(saved) == [str(tmp_path / name) for name in names]
    (tmp_path / "c.safetensors").unlink()
    with pytest.raises(InputError, match=r"c\.safetensors.*there is no such file"):
        opened(saved)


def test_the_example_is_the_same_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings((EXAMPLE_NAME,))
    source = captured_at((EXAMPLE_NAME,), layer=3, head=1)
    plain = experiment_to_plain(Experiment(source, Setup().put(settings)))
    (tmp_path / EXAMPLE_NAME).mkdir()
    monkeypatch.chdir(tmp_path)
    found = experiment_from_plain(json.loads(json.dumps(plain)))
    assert found.source is source
    assert found.setup.get(Settings) == settings
    assert parse_captured(captured_text(source)) is source


def test_a_file_that_has_changed_is_noticed(file: Path) -> None:
    written(file)
    text = f"file: {file}\nlayer = 3, head = 1"
    before = parse_captured(text)
    plain = json.loads(json.dumps(experiment_to_plain(Experiment(before))))
    os.utime(file, ns=(1, 1))
    with pytest.raises(InputError, match="changed since it was opened"):
        parse_captured(text)
    # Whoever asks again is shown what there is.
    assert parse_captured(text) is not before
    assert experiment_from_plain(plain).source is not before
    written(file, n_queries=9)
    with pytest.raises(InputError, match="changed"):
        parse_captured(text)
    with pytest.raises(InputError, match="another file than was asked about"):
        experiment_from_plain(plain)
    file.unlink()
    with pytest.raises(InputError) as gone:
        parse_captured(text)
    assert gone.value.field == "capture"


def test_what_will_not_do_is_said(file: Path) -> None:
    for text, said in [
        ("file: FILE\nlayer = x", "'x' is not a whole number"),
        ("file: FILE\nlayers 3", "'layers' is not understood"),
        ("file: FILE\nlayer = 1", "there is no layer 1"),
        ("file: FILE\nlayer = 3, head = 2", "there is no head 2"),
        ("file: FILE\nlayer = 3, row = 99", "there is no row 99"),
        ("file: nowhere.safetensors", "nowhere.safetensors"),
    ]:
        written(file)
        with pytest.raises(InputError) as refused:
            parse(Draft(text.replace("FILE", str(file))))
        assert refused.value.field == "capture"
        assert said in str(refused.value)


def test_options_need_a_capture() -> None:
    result = CliRunner().invoke(program, ["attention", "--layer", "3"])
    assert result.exit_code == 2
    assert "--layer: nothing is captured; expected --capture FILE beside it" in result.output


@pytest.mark.parametrize("causal", [True, False])
def test_a_head_is_masked_as_its_output_says(file: Path, causal: bool) -> None:
    made = made_up.heads(n=20, layers=1, causal=causal)
    capture = str(made_up.write(file, made))
    said = "causal, as the output says" if causal else "no mask, as the output says"
    for command in ("show", "attention"):
        result = CliRunner().invoke(program, [command, "--capture", capture])
        assert f"no mask was captured: {said}" in " ".join(result.stdout.split())
        assert ("mask       causal" in result.stdout) is causal
        for mask in ("none", "causal"):
            asked = [command, "--capture", capture, "--mask", mask]
            text = CliRunner().invoke(program, asked).stdout
            assert ("mask       causal" in text) is (mask == "causal")
    source = captured_at((capture,))
    draft = Draft("", as_captured(Setup(), source)).asking(source)
    assert draft.setup.mask.causal is causal
    experiment = parse(draft)
    for line in (show, attention):
        again = asked_by(line(Question(draft, experiment)))[1]
        assert next(answer(again)).attended.tolist() == next(answer(experiment)).attended.tolist()


def test_a_mask_that_does_not_explain_the_output_is_not_what_it_says(file: Path) -> None:
    made = made_up.heads(n=20, layers=1)
    q, k, v, out = (
        np.array([getattr(head, part) for head in made.values()], np.float32)[None]
        for part in ("queries", "keys", "values", "output")
    )
    noise = np.random.default_rng(2).standard_normal(out.shape).astype(np.float32)
    write_safetensors(file, {"0.q": q, "0.k": k, "0.v": v, "0.out": out + noise})
    for command, more, said in (
        ("show", ["--capture"], "causal is nearest, and does not explain the output"),
        ("heads", [], "their weights miss the captured output"),
    ):
        result = CliRunner().invoke(program, [command, *more, str(file)])
        text = " ".join(result.stdout.split())
        assert said in text
        assert "as the output says" not in text


def test_a_head_without_an_output_is_supposed_to_be_causal(file: Path) -> None:
    written(file)
    result = CliRunner().invoke(program, ["show", "--capture", str(file), "--row", "5"])
    assert "no mask was captured: assumed causal" in " ".join(result.stdout.split())
    assert "q5: 70 keys, 64 masked" in result.stdout


def test_a_place_that_is_not_there_is_named_by_its_option(file: Path) -> None:
    written(file)
    for command in ("show", "attention"):
        asked = [command, "--capture", str(file), "--layer", "7"]
        result = CliRunner().invoke(program, asked)
        assert "--layer: there is no layer 7; expected one of 0, 3" in result.output


def biased(file: Path, path: str = "3.bias") -> tuple[Any, Any, Any, Any]:
    """Write a head with a bias and a sink, and return q, k, the bias and the sink."""
    draw = np.random.default_rng(7)
    bias = draw.normal(scale=3.0, size=(1, HEADS, N, N)).astype(np.float32)
    bias[..., 2, 5] = -np.inf
    sink = np.array([0.5, 1.5], np.float32)
    q, k = written(file, more={path: bias, "3.sink": sink})
    return q, k, bias[0, 1].astype(np.float64), float(sink[1])


@pytest.mark.parametrize("precision", [Precision(), Precision(naive=True)])
@pytest.mark.parametrize("softcap", [None, 2.0])
def test_a_captured_bias_and_sink_play_their_part(
    file: Path, precision: Precision, softcap: float | None
) -> None:
    q, k, bias, sink = biased(file)
    scale = Scale(softcap=softcap)
    asked = Setup(precision=precision, scale=scale)
    asked = as_captured(asked, captured_at((str(file),)))
    assert asked.scale.sink is None, "layer 0 has none"
    source = captured_at((str(file),), layer=3, head=1)
    found = next(answer(Experiment(source, as_captured(asked, source))))
    for side, m, cap, b in (
        (found.unscaled, 1.0, None, None),
        (found.scaled, 0.5, softcap, sink),
    ):
        z = m * (q @ k.T)
        z = (z if cap is None else cap * np.tanh(z / cap)) + bias
        z[np.triu_indices(N, 1)] = -np.inf
        powers = np.exp(z)
        p = powers / (powers.sum(axis=1) + (0.0 if b is None else np.exp(b)))[:, None]
        np.testing.assert_allclose(side.largest, p.max(axis=1), rtol=1e-12)
        assert side.key.tolist() == p.argmax(axis=1).tolist()
        np.testing.assert_allclose(side.sink, 1.0 - p.sum(axis=1), atol=1e-14)
        slopes = np.full(z.shape, m)
        if cap is not None:
            slopes *= 1.0 - np.square(np.tanh(m * (q @ k.T) / cap))
        for row in (0, 2, 40):
            jacobian = (np.diag(p[row]) - np.outer(p[row], p[row])) * slopes[row]
            assert side.gradient[row] == pytest.approx(np.linalg.norm(jacobian), rel=1e-9)


def test_another_sink_is_asked_of_a_head_that_has_one(file: Path) -> None:
    biased(file)
    source = captured_at((str(file),), layer=3, head=1)
    assert as_captured(Setup(), source).scale.sink == 1.5
    assert as_captured(Setup(scale=Scale(sink=-4.0)), source).scale.sink == -4.0
    place = f"attention --capture {file} --layer 3 --head 1"
    for given, sink in (("", 1.5), ("--sink none", None), ("--sink 2", 2.0)):
        asked = asked_by(f"{place} {given}")[1]
        assert asked.setup.scale.sink == sink
        again = asked_by(attention(Question(draft_of(asked), asked)))[1]
        assert again.setup == asked.setup


@pytest.mark.parametrize("given", ["", "--rule inverse-sqrt", "--softcap none", "--model t5-small"])
def test_a_line_asks_what_is_asked_of_a_head_that_a_fit_explains(file: Path, given: str) -> None:
    made_up.write_unusual(file, multiplier=1.0, softcap=3.0)
    asked = asked_by(f"attention --capture {file} --head 1 {given}")[1]
    assert (asked.setup.scale.softcap is None) is (given in ("--softcap none", "--model t5-small"))
    assert asked.setup.scale.is_default is (given == "--rule inverse-sqrt")
    assert asked_by(attention(Question(draft_of(asked), asked)))[1].setup == asked.setup


def test_layouts_and_names_are_asked_like_those_of_heads(file: Path) -> None:
    draw = np.random.default_rng(2)
    # Four positions of four heads: shapes do not tell them apart.
    tensors = {f"blk.0.{part}": draw.standard_normal((1, 4, 4, D)) for part in ("qx", "kx", "vx")}
    write_safetensors(file, tensors)
    names = "blk.{layer}.{part}x"
    place = f"attention --capture {file} --head 2 --layout bnhd --names '{names}'"
    asked = asked_by(place)[1]
    q, k = (tensors[f"blk.0.{part}x"][0, :, 2] for part in "qk")
    found = np.array([vector.scores for vector in replace(asked, setup=Setup()).vectors])
    np.testing.assert_allclose(found, q @ k.T, rtol=1e-12)
    assert parse_captured(captured_text(asked.source)) is asked.source  # type: ignore[arg-type]
    assert (
        experiment_from_plain(json.loads(json.dumps(experiment_to_plain(asked)))).source
        is asked.source
    )
    assert asked_by(attention(Question(draft_of(asked), asked)))[1].source is asked.source
    result = CliRunner().invoke(program, ["attention", "--layout", "bnhd"])
    assert result.exit_code == 2
    assert "--layout: nothing is captured" in result.output
