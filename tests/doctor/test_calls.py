"""The arguments of captured calls are expected unless a configuration states otherwise."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from attn_tui.compute.fit.simulate import Arithmetic
from attn_tui.compute.heads.mask import HeadMask
from tests.doctor.captures import write
from tests.doctor.command import HEALTHY, LLAMA, printed, run
from tests.pairs import everyday

GIVEN = {"0.scale": "0.25", "0.is_causal": "True"}
TWICE = replace(HEALTHY, multiplier=0.5)
UNMASKED = replace(HEALTHY, mask=HeadMask("none"))


@pytest.mark.parametrize(
    ("how", "given", "status", "phrase"),
    everyday(
        3,
        [
            (HEALTHY, GIVEN, 0, "agrees: m = 0.25"),
            (TWICE, GIVEN, 1, "differs: m = "),
            (UNMASKED, GIVEN, 1, "differs: mask none, expected causal"),
            (UNMASKED, {**GIVEN, "0.is_causal": "False"}, 0, "agrees: m = "),
            (HEALTHY, {"0.is_causal": "False"}, 1, "differs: mask causal, expected none"),
            (HEALTHY, {"0.scale": "None", "0.is_causal": "None"}, 0, "no expectation: m = "),
            (HEALTHY, {"0.scale": "1e308"}, 0, "no expectation: m = "),
            (HEALTHY, {"0.scale": "nan", "0.softcap": "-1"}, 0, "no expectation: m = "),
        ],
    ),
)
def test_scale_and_mask_of_a_call_are_expected(
    tmp_path: Path, how: Arithmetic, given: dict[str, str], status: int, phrase: str
) -> None:
    result = run(write(tmp_path / "a.safetensors", how, metadata=given))
    assert result.exit_code == status, result.stdout
    assert result.stdout.startswith(phrase)
    is_named = "the arguments of the calls" in result.stdout.partition("\n")[0]
    assert is_named == (not phrase.startswith("no expectation"))


def test_a_configuration_goes_before_what_a_call_was_given(tmp_path: Path) -> None:
    path = write(tmp_path / "a.safetensors", TWICE, metadata={**GIVEN, "0.scale": "0.5"})
    assert run(path).exit_code == 0
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    report = printed(run(path, "--json"))
    assert report["verdict"] == "differs"
    assert report["heads"][0]["differs"] == ["multiplier"]
    # A typed expectation goes before both.
    typed = run(path, "--expect", "m=0.5")
    assert typed.exit_code == 0
    line = typed.stdout.partition("\n")[0]
    assert line.endswith("(llama): head_dim 16, m = 1/√16; --expect m=0.5")


def test_of_fewer_queries_than_keys_a_call_says_nothing_of_where_they_stand(tmp_path: Path) -> None:
    for offset in (0, 56):
        how = replace(HEALTHY, mask=HeadMask("causal", offset))
        path = write(tmp_path / f"{offset}.safetensors", how, metadata=GIVEN, n_queries=8)
        assert run(path).exit_code == 0
