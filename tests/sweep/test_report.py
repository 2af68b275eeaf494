"""Reports of sweeps: aligned, complete, strict and true."""

import csv as csv_module
import json as json_module
import re
from dataclasses import replace
from functools import lru_cache
from io import StringIO
from math import exp
from typing import Any

import numpy as np
import pytest

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.numbers import quantity
from attn_tui.compute.rules import RULES
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep.answer import Answer, answer
from attn_tui.compute.sweep.crossover import GRADIENTS, Crossings
from attn_tui.compute.sweep.exact import Exact
from attn_tui.compute.sweep.points import Point, Points
from attn_tui.compute.sweep.settings import STATISTICS, Settings, SweepStatistic
from attn_tui.files.codec import experiment_from_plain
from attn_tui.report import forms
from attn_tui.report.text import text as as_text
from attn_tui.report.text import text_columns
from attn_tui.sweep.headline import headline
from attn_tui.sweep.report import crossover_report, report, row_places, row_table
from tests.documented import strict
from tests.pairs import slow_after

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
def answered(name: str) -> Answer:
    (*_, last) = answer(Experiment(Drawn(8), Setup(64).put(CASES[name])))
    return last


def as_json(result: Answer, *statistics: Any) -> Any:
    text = "".join(forms.json(report(result, statistics)))
    assert text.isascii()
    return json_module.loads(text, parse_constant=strict)


def text_of(result: Answer, *statistics: Any) -> str:
    return "".join(as_text(report(result, statistics)))


def in_a_line(result: Answer) -> str:
    return " ".join(text_of(result).split())


def crossovers_as(form: str, crossovers: Crossings) -> str:
    answer = replace(answered("d_k"), crossovers=crossovers)
    return "".join(forms.WRITERS[form](crossover_report(answer)))


@pytest.mark.slow
@pytest.mark.parametrize("name", slow_after(2, ["two keys", "far", "map", "every rule"]))
def test_text_of_every_statistic_fits_80_columns(name: str) -> None:
    text = text_of(answered(name), *STATISTICS)
    assert max(map(len, text.splitlines())) <= 80
    assert "\n\n\n" not in text


@pytest.mark.slow
def test_text_says_what_each_number_is_of() -> None:
    # Exact values stand beside the sampled ones where they are known.
    assert text_of(answered("two keys")).count("exact") >= 4
    text = text_of(answered("d_k"))
    assert "exact" not in text
    for phrase in (
        "320 vectors at each place, seed 1 (NumPy PCG64, standard_normal)",
        "1 to 8,192, 6 of at most 6",
        "‖∂p/∂s‖_F: the Frobenius norm of ∂p/∂s = m·J, weights by scores",
        "mean     error    median      from        to",
        "none, m = 1",
        "inverse-sqrt, m = 1/√d_k",
        "‖∂p/∂s‖_F  inverse-sqrt  102 [58.9 to 166]",
        "tr J       inverse-sqrt  none: smaller unscaled",
    ):
        assert phrase in text, text


def test_json_has_the_points_that_are_promised() -> None:
    plain = as_json(answered("two keys"))
    assert plain["schema"] == "attn-tui/1"
    assert len(plain["points"]) == 6 * 2
    for point in plain["points"]:
        assert set(STATISTICS) <= set(point)
        assert {"n", "d_k", "rule"} <= set(point)
        for name in STATISTICS:
            for which in ("mean", "median"):
                number = point[name][which]
                assert {"value", "standard_error", "exact"} <= set(number)
            own = answered("two keys").points.at(point["n"], point["d_k"], Scale(point["rule"]))
            assert own
            exact = own.exact(name)
            assert (point[name]["mean"]["exact"], point[name]["median"]["exact"]) == (
                exact.mean, exact.median,
            )  # fmt: skip
            assert point[name]["median"]["value"] == exp(point[name]["median"]["log"])
    first = plain["crossovers"][0]
    assert {"n", "readout", "d_k", "low", "high"} <= set(first)
    assert first["low"] < first["d_k"] < first["high"]
    assert [crossover["readout"] for crossover in plain["crossovers"]] == list(GRADIENTS)
    assert plain["crossovers"][1]["d_k"] is None


@pytest.mark.slow
def test_json_is_written_as_its_numbers_are_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exact values take longest, and writing can be stopped between two points."""
    names: list[str] = []
    exact = Point.exact

    def noted(self: Point, name: SweepStatistic) -> Exact:
        names.append(name)
        return exact(self, name)

    monkeypatch.setattr(Point, "exact", noted)
    result = answered("map")
    pieces = forms.json(report(result))
    for piece in pieces:
        if '"ninetieth"' in piece:
            break
    first = len(names)
    for _ in pieces:
        pass
    assert 0 < first < len(names) / 4


def test_json_asks_the_same_again_of_the_statistics_asked_for() -> None:
    for name in ("n", "map"):
        result = answered(name)
        plain = as_json(result, "trace")
        assert experiment_from_plain(plain).setup == result.experiment.setup
        assert set(plain["points"][0]) & set(STATISTICS) == {"trace"}


def test_crossovers_alone_are_written_in_every_form() -> None:
    crossovers = answered("d_k").crossovers
    key, first = next(iter(crossovers.items()))
    begins, goes_on = replace(first, low=None, at=4.37, high=9.22), replace(first, high=None)
    assert "4.37 [≤ 9.22]" in crossovers_as("text", {key: begins})
    assert "102 [≥ 58.9]" in crossovers_as("text", {key: goes_on})
    [begun] = json_module.loads(crossovers_as("json", {key: begins}))["crossovers"]
    assert (begun["low"], begun["low_open"], begun["high_open"]) == (2.0, True, False)
    [open_above] = json_module.loads(crossovers_as("json", {key: goes_on}))["crossovers"]
    assert (open_above["high"], open_above["low_open"]) == (65_536.0, False)
    assert open_above["high_open"]
    text = crossovers_as("text", crossovers)
    assert max(map(len, text.splitlines())) <= 80
    assert "102 [58.9 to 166]" in text
    rows = list(csv_module.DictReader(StringIO(crossovers_as("csv", crossovers))))
    assert [row["d_k"] == "" for row in rows] == [False, False, False, True]
    plain = json_module.loads(crossovers_as("json", crossovers), parse_constant=strict)
    assert [crossover["d_k"] is None for crossover in plain["crossovers"]] == [
        False,
        False,
        False,
        True,
    ]


def swept(d_k: int, settings: Settings) -> Answer:
    (*_, last) = answer(Experiment(Drawn(8), Setup(d_k).put(settings)))
    return last


@pytest.mark.slow
def test_where_the_medians_cross_over_n_is_in_json_and_few_draws_that_carry_a_mean_are_named() -> (
    None
):
    settings = replace(SMALL, over="n", n_range=(2, 512), points=9, d_k_range=(64, 64), draws=2000)
    (crossing,) = [
        one for one in as_json(swept(64, settings))["crossings"] if one["readout"] == "gradient"
    ]
    assert [f"{crossing[end]:.2f}" for end in ("n", "low", "high")] == ["6.81", "6.05", "7.55"]
    assert (crossing["rule"], crossing["d_k"]) == ("inverse-sqrt", 64)
    assert crossing["larger"] is False
    far = swept(64, replace(SMALL, n=3, d_k_range=(32_768, 65_536), draws=20, points=2))
    assert "few draws carry the mean" in in_a_line(far)


def test_an_interrupted_sweep_says_so() -> None:
    first = next(answer(Experiment(Drawn(8), Setup(64).put(SMALL))))
    text = text_of(first)
    assert re.search(rf"asked +{SMALL.draws:,} vectors at each place", text)
    assert re.search(r"stopped +at \d+ % of the work; 32 draws at each place", text)
    assert as_json(first)["progress"] < 1


@pytest.mark.slow
def test_factors_are_in_the_text_where_they_are_asked() -> None:
    for name in ("d_k", "ratio"):
        text = text_of(answered(name))
        assert ("‖∂p/∂s‖_F unscaled over m = 1/√d_k; ±" in text) == (name == "ratio")


def test_ratios_are_those_of_the_points_in_json_and_csv() -> None:
    result = answered("map")
    plain = as_json(result)
    points = {(p["n"], p["d_k"], p["rule"]): p for p in plain["points"]}
    n, d_k = max((n, d_k) for n, d_k, _ in points)
    unscaled, scaled = (points[n, d_k, rule] for rule in ("none", "inverse-sqrt"))
    by_hand = unscaled["gradient"]["mean"]["value"] / scaled["gradient"]["mean"]["value"]
    assert exp(scaled["gradient"]["ratio"]["log_mean"]) == pytest.approx(by_hand)
    rows = csv_module.DictReader(StringIO("".join(forms.csv(report(result)))))
    row = next(
        row
        for row in rows
        if (row["n"], row["d_k"], row["rule"], row["statistic"])
        == (str(n), str(d_k), "inverse-sqrt", "gradient")
    )
    assert float(row["log_ratio_of_means"]) == scaled["gradient"]["ratio"]["log_mean"]


def test_the_table_of_the_screen_has_a_line_for_each_place_of_what_runs() -> None:
    for name, along in (("ratio", "d_k"), ("n", "n"), ("map", "d_k")):
        result = answered(name)
        places = row_places(result)
        first, *others = text_columns(row_table(result, places), np.arange(len(places)))
        assert first.title == along
        assert first.texts == [f"{place[0] if along == 'n' else place[1]:,}" for place in places]
        titles = ["unscaled", "middle half", "mean", "1/√d_k", "which is", "middle half", "mean"]
        assert [column.title for column in others] == titles
        point = result.points.at(*places[-1], Scale())
        assert point
        summary = point.statistics[result.settings.statistic]
        assert others[3].texts[-1] == quantity(summary.median, summary.log_median, 8)


def test_a_place_of_the_map_that_is_not_drawn_yet_has_the_nearest_that_is_in_its_place() -> None:
    whole = answered("map")
    setup = replace(whole.experiment.setup, d_k=512)
    cursor = replace(whole, experiment=replace(whole.experiment, setup=setup))
    far = cursor.points.nearest(cursor.place)
    drawn = [point for point in whole.points if (point.n, point.d_k) != far]
    begun = replace(cursor, points=Points(drawn))
    near = begun.points.nearest(begun.place)
    assert near in row_places(begun)
    assert near[0] == far[0]
    assert near != far
    assert begun.points.at(*near, Scale())
    assert f"With {near[0]:,} keys and d_k = {near[1]:,}" in headline(begun)
