"""Reports of sweeps: aligned, complete, strict, and what they say is so."""

import csv as csv_module
import json as json_module
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from io import StringIO
from math import exp
from typing import Any

import pytest

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.scale import RULES
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep.answer import Answer, answer
from attn_tui.compute.sweep.crossover import GRADIENTS, Crossover
from attn_tui.compute.sweep.exact import Exact
from attn_tui.compute.sweep.points import Point
from attn_tui.compute.sweep.settings import STATISTICS, Settings, Statistic
from attn_tui.files.codec import experiment_from_plain
from attn_tui.report import forms
from attn_tui.report.text import text as as_text
from attn_tui.sweep.means import compared_means
from attn_tui.sweep.report import crossover_report, report
from tests.documented import strict
from tests.pairs import everyday, with_rows

SMALL = Settings(n=8, points=6, map_points=4, n_range=(2, 512), draws=320)
ALL_RULES = tuple(RULES)
CASES = {
    "d_k": SMALL,
    "n": replace(SMALL, over="n", statistic="trace"),
    "map": replace(SMALL, view="map"),
    "ratio": replace(SMALL, ratio=True),
    "two keys": replace(SMALL, n=2, statistic="entropy"),
    "every rule": replace(SMALL, rules=ALL_RULES, points=3, draws=64),
    "far": replace(SMALL, rules=("temperature:T=1e-300", "temperature:T=1e300"), draws=32),
    "most keys": replace(SMALL, over="n", n_range=(2, 100_000), points=3, draws=32),
}


@lru_cache
def found(name: str) -> Answer:
    (*_, last) = answer(Experiment(Drawn(8), Setup(64).put(CASES[name])))
    return last


def as_json(each: Answer, *statistics: Any) -> Any:
    text = "".join(forms.json(report(each, statistics)))
    assert text.isascii()
    return json_module.loads(text, parse_constant=strict)


def text_of(each: Answer, *statistics: Any) -> str:
    return "".join(as_text(report(each, statistics)))


def in_a_line(each: Answer) -> str:
    return " ".join(text_of(each).split())


def crossovers_as(form: str, crossovers: Sequence[Crossover]) -> str:
    return "".join(forms.WRITERS[form](crossover_report(found("d_k").experiment, crossovers)))


@pytest.mark.parametrize("name", everyday(2, CASES))
def test_text_has_at_most_80_columns(name: str) -> None:
    text = text_of(found(name), *STATISTICS)
    assert max(map(len, text.splitlines())) <= 80
    assert text.endswith("\n")
    assert "\n\n\n" not in text


def test_text_says_what_each_number_is_of() -> None:
    text = text_of(found("d_k"))
    for phrase in (
        "320 vectors at each place, seed 1 (NumPy PCG64, standard_normal)",
        "1 to 8,192, 6 of at most 6",
        "‖∂p/∂s‖_F: the Frobenius norm of ∂p/∂s = m·J, weights by scores",
        "mean     error    median      from        to",
        "none, m = 1",
        "inverse-sqrt, m = 1/√d_k",
        "σ_c = √(2 ln n) = 2.04",
        "‖∂p/∂s‖_F  inverse-sqrt  102 [58.9 to 166]",
        "tr J       inverse-sqrt  none: smaller unscaled",
    ):
        assert phrase in text, text


def test_where_logits_condense_is_said_with_its_side() -> None:
    rules = ("none", "ssmax:a=1", "log-length", "temperature:T=0.1")
    settings = replace(SMALL, over="n", rules=rules, points=3, draws=8)
    (*_, last) = answer(Experiment(Drawn(8), Setup(4).put(settings)))
    text = " ".join(text_of(last).split())
    for phrase in (
        "with m = 1 up to n = 7.39",
        "with m = 1·ln n/√d_k from n = 7.39",
        "with m = ln n/(ln 512·√d_k) at no n from 2 to 100,000",
        "with m = 1/0.1 at every n from 2 to 100,000",
    ):
        assert phrase in text, text
    plain = as_json(last)["condensation"]
    assert [each["where"] for each in plain] == ["up to", "from", "nowhere", "everywhere"]
    assert [each["n"] is None for each in plain] == [False, False, True, True]


def test_exact_values_stand_beside_the_sampled_ones() -> None:
    text = text_of(found("two keys"))
    assert text.count("exact") >= 4
    assert "exact" not in text_of(found("d_k"))


def test_json_has_the_points_that_are_promised() -> None:
    plain = as_json(found("two keys"))
    assert plain["schema"] == "attn-tui/1"
    assert len(plain["points"]) == 6 * 2
    for point in plain["points"]:
        assert set(STATISTICS) <= set(point)
        assert {"n", "d_k", "rule"} <= set(point)
        for name in STATISTICS:
            for which in ("mean", "median"):
                number = point[name][which]
                assert {"value", "standard_error", "exact"} <= set(number)
            if name != "query_gradient":
                assert isinstance(point[name]["median"]["exact"], float)
            assert point[name]["median"]["value"] == exp(point[name]["median"]["log"])
    first = plain["crossovers"][0]
    assert {"n", "readout", "d_k", "low", "high"} <= set(first)
    assert first["low"] < first["d_k"] < first["high"]
    assert [each["readout"] for each in plain["crossovers"]] == list(GRADIENTS)
    assert plain["crossovers"][1]["d_k"] is None


def test_json_is_written_as_its_numbers_are_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is exact takes longest, and between two points the writing can be stopped."""
    asked: list[str] = []
    exact = Point.exact

    def noted(self: Point, name: Statistic) -> Exact:
        asked.append(name)
        return exact(self, name)

    monkeypatch.setattr(Point, "exact", noted)
    each = found("map")
    pieces = forms.json(report(each))
    for piece in pieces:
        if '"ninetieth"' in piece:
            break
    first = len(asked)
    for _ in pieces:
        pass
    assert 0 < first < len(asked) / 4


def test_json_has_only_the_statistics_asked_for() -> None:
    point = as_json(found("d_k"), "entropy")["points"][0]
    assert set(point) & set(STATISTICS) == {"entropy"}


@pytest.mark.slow
def test_json_asks_the_same_again() -> None:
    for name in CASES:
        each = found(name)
        assert experiment_from_plain(as_json(each, "trace")).setup == each.experiment.setup


def test_csv_is_one_table_of_full_precision() -> None:
    each = found("d_k")
    rows = list(csv_module.DictReader(StringIO("".join(forms.csv(report(each))))))
    assert len(rows) == len(each.points) * len(STATISTICS)
    row = next(row for row in rows if row["statistic"] == "trace" and row["rule"] == "none")
    assert float(row["mean"]) == each.points[0].statistics["trace"].mean
    assert row["median_exact"] == ""


def test_crossovers_alone_are_written_in_every_form() -> None:
    each = found("d_k")
    text = crossovers_as("text", each.crossovers)
    assert max(map(len, text.splitlines())) <= 80
    assert "102 [58.9 to 166]" in text
    rows = list(csv_module.DictReader(StringIO(crossovers_as("csv", each.crossovers))))
    assert [row["d_k"] == "" for row in rows] == [False, False, False, True]
    written = crossovers_as("json", each.crossovers)
    plain = json_module.loads(written, parse_constant=strict)
    assert plain["points"] == []


def test_an_interval_that_reaches_the_end_of_the_range_says_so() -> None:
    first, *_ = found("d_k").crossovers
    begins = replace(first, low=2.0, d_k=4.37, high=9.22)
    ends = replace(first, d_k=1734.0, low=1371.0, high=65_536.0)
    for one, low_open, high_open, interval in (
        (first, False, False, "102 [58.9 to 166]"),
        (begins, True, False, "4.37 [≤ 9.22]"),
        (ends, False, True, "1,734 [≥ 1,371]"),
        (replace(begins, divides_from=3, low=3.0), True, False, "4.37 [≤ 9.22] from d_k = 3"),
    ):
        each = replace(found("d_k"), crossovers=(one,))
        assert interval in text_of(each)
        (plain,) = as_json(each)["crossovers"]
        assert (plain["low_open"], plain["high_open"]) == (low_open, high_open)
        written = crossovers_as("csv", each.crossovers)
        (row,) = csv_module.DictReader(StringIO(written))
        assert row["low_open"] == str(low_open).lower()


def swept(d_k: int, settings: Settings) -> Answer:
    (*_, last) = answer(Experiment(Drawn(8), Setup(d_k).put(settings)))
    return last


def test_means_are_compared_exactly_where_they_are_known() -> None:
    """At two keys and large d_k hardly a draw carries the mean: a sampled one is far too small."""
    far = swept(64, replace(SMALL, n=2, d_k_range=(65_536, 65_536), draws=20))
    unscaled, scaled = (far.points.at(2, 65_536, rule) for rule in far.rules)
    assert unscaled
    assert scaled
    sampled = [point.statistics["gradient"].mean for point in (unscaled, scaled)]
    exact = [point.exact("gradient").mean or 0.0 for point in (unscaled, scaled)]
    assert sampled[0] < sampled[1]
    assert exact[0] > exact[1]
    text = in_a_line(far)
    assert "Without 1/√d_k the mean ‖∂p/∂s‖_F over draws is larger at d_k = 65,536." in text


@pytest.mark.slow
@with_rows("draws", [2, 20, 400])
def test_nothing_is_concluded_from_means_that_few_draws_carry(draws: int) -> None:
    far = swept(64, replace(SMALL, n=3, d_k_range=(32_768, 65_536), draws=draws, points=2))
    text = in_a_line(far)
    assert "few draws carry the mean" in text
    assert "Without" not in text


def test_a_mean_is_compared_where_the_draws_tell() -> None:
    each = swept(64, replace(SMALL, n=64, d_k_range=(2, 8192), draws=1000, crossovers=False))
    (text,) = re.findall("Without [^.]*[.]", in_a_line(each))
    assert "larger at every d_k shown from 2 to" in text
    assert "8,192" not in text
    assert text.endswith("; these draws do not tell at the others.")


@pytest.mark.parametrize("view", ["map", "curves"])
def test_at_one_d_k_it_is_said_where_the_medians_cross_over_n(view: Any) -> None:
    settings = replace(SMALL, view=view, over="n", n_range=(2, 512), points=9, map_points=9)
    each = swept(64, replace(settings, d_k_range=(64, 64), draws=2000))
    assert (
        "At d_k = 64 the median ‖∂p/∂s‖_F without 1/√d_k is smaller with fewer keys than "
        "n ≈ 6.81 [6.05 to 7.55]."
    ) in in_a_line(each)
    crossings = [one for one in as_json(each)["crossings"] if one["readout"] == "gradient"]
    (crossing,) = crossings
    assert [f"{crossing[end]:.2f}" for end in ("n", "low", "high")] == ["6.81", "6.05", "7.55"]
    assert (crossing["rule"], crossing["d_k"]) == ("inverse-sqrt", 64)
    assert crossing["larger"] is False
    assert as_json(found("d_k"))["crossings"] == []


def test_an_interrupted_sweep_says_so() -> None:
    first = next(answer(Experiment(Drawn(8), Setup(64).put(SMALL))))
    text = text_of(first)
    assert re.search(rf"asked +{SMALL.draws:,} vectors at each place", text)
    assert re.search(r"stopped +at \d+% of the work; 256 draws at each place", text)
    assert as_json(first)["progress"] < 1


@pytest.mark.slow
def test_no_sentence_speaks_of_a_rule_without_its_name() -> None:
    settings = replace(SMALL, n=8, rules=("none", "inverse", "mup"), d_k_range=(1, 64), points=4)
    (*_, last) = answer(Experiment(Drawn(8), Setup(64).put(settings)))
    sentences = [*compared_means(last, "gradient")]
    assert len(set(sentences)) == len(sentences) == 2
    assert all("1/d_k" in sentence or "√64/d_k" in sentence for sentence in sentences)
    # mup multiplies by 2 at d_k = 4, so its mean is spoken of from the next place on.
    (mean,) = (each for each in sentences if each.startswith("Without √64"))
    assert mean.endswith("from 16 to 64.")


def test_ratios_are_those_of_the_points_in_json_and_csv() -> None:
    each = found("map")
    plain = as_json(each)
    points = {(p["n"], p["d_k"], p["rule"]): p for p in plain["points"]}
    n, d_k = max((n, d_k) for n, d_k, _ in points)
    unscaled, scaled = (points[n, d_k, rule] for rule in ("none", "inverse-sqrt"))
    by_hand = unscaled["gradient"]["mean"]["value"] / scaled["gradient"]["mean"]["value"]
    assert exp(scaled["gradient"]["ratio"]["log_mean"]) == pytest.approx(by_hand)
    rows = csv_module.DictReader(StringIO("".join(forms.csv(report(each)))))
    row = next(
        row
        for row in rows
        if (row["n"], row["d_k"], row["rule"], row["statistic"])
        == (str(n), str(d_k), "inverse-sqrt", "gradient")
    )
    assert float(row["log_ratio_of_means"]) == scaled["gradient"]["ratio"]["log_mean"]
