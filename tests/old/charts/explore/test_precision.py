from dataclasses import replace

import pytest

from attn_tui.compute.explore.precision_lab import Differing, Lab, LabSide, Trial
from attn_tui.compute.precision import FORMATS, Precision
from attn_tui.old.charts.explore.precision_lab import last_first, precision_chart
from attn_tui.report.rows import plain
from tests.old.charts.cases import check_block, lines, text_of

NAN = float("nan")
REASON = "e^z of 150 overflows float16 above 11.09: every weight is NaN or 0"


def trial(name: str, stable: bool, n_keys: int = 3) -> Trial:
    """Return what might have come out, in numbers easy to find again."""
    at = 2 * FORMATS.index(name) + (not stable)
    if at >= 4 and not stable:
        return Trial(Precision(name, stable), "nan", REASON, NAN, n_keys, 0, NAN, 0)
    error = 0.0 if at == 0 else 1.25 * 10.0 ** (at - 9)
    differ = n_keys * at // 7
    return Trial(
        Precision(name, stable), "ok", "", 0.1309 + error, differ, differ // 2, error, n_keys - 3
    )


def lab(n_keys: int = 3, name: str = "a") -> Lab:
    """Return a lab of every format."""
    trials = tuple(trial(each, stable, n_keys) for each in FORMATS for stable in (True, False))
    sides = LabSide("unscaled", 1.93e-22, trials), LabSide("scaled", 0.1309, trials)
    return Lab(name, n_keys - 3, sides)


def masked(name: str) -> LabSide:
    """Return a side whose every key is masked."""
    one = Trial(Precision(), "masked", "every key is masked", 0.0, 0, 0, 0.0, 0)
    return LabSide(name, 0.0, (one,) * 8)


TITLES = ["format", "method", "p₀", "differ", "|p−exact|", "at", "key", "vanished"]

LABS = {
    "three keys": lab(),
    "a million keys": lab(1_000_000, "注意\x1b"),
    "masked": Lab("a", 0, (masked("pinned"), masked("now"))),
}


@pytest.mark.parametrize("name", LABS)
def test_every_size_gives_a_block_of_that_size(name: str) -> None:
    for width in (*range(0, 70, 3), 99, 100, 101, 116, 200):
        for height in (*range(14), 30):
            check_block(precision_chart(LABS[name], width, height, "unscaled"), width, height)


@pytest.mark.parametrize("size", [(116, 14), (76, 11), (58, 10), (38, 10)])
def test_every_trial_has_its_line(size: tuple[int, int]) -> None:
    rows = [row.split() for row in lines(precision_chart(LABS["three keys"], *size))]
    for name in FORMATS:
        short = name.replace("bfloat", "bf").replace("float", "f")
        for method in ("stable", "naive"):
            assert any({name, short} & set(row) and method in row for row in rows)


def test_the_numbers_of_a_trial_stand_under_their_titles() -> None:
    rows = lines(precision_chart(LABS["three keys"], 76, 11))
    assert rows[0].startswith("a, scaled: exact p₀ = 0.1309")
    assert rows[1].split() == TITLES
    assert rows[8].split() == ["bfloat16", "stable", "0.1321", "2", "1.25e-03", "0", "1"]
    for title, number in (("p₀", "0.1321"), ("|p−exact|", "1.25e-03")):
        assert rows[1].index(title) + len(title) == rows[8].index(number) + len(number)


def test_nan_stands_in_its_column_and_the_reasons_in_full_below() -> None:
    rows = precision_chart(LABS["three keys"], 76, 20)
    assert lines(rows)[7].split() == ["float16", "naive", "NaN", "3", "NaN", "0", "0"]
    for title in ("p₀", "|p−exact|"):
        end = lines(rows)[1].index(title) + len(title)
        assert lines(rows)[7][:end].endswith("NaN")
    below = " ".join(" ".join(lines(rows)[10:14]).split())
    assert f"float16 naive, bfloat16 naive: {REASON}" in below
    assert text_of(rows, "error").count("NaN") == 5
    assert not text_of(precision_chart(LABS["masked"], 76, 11), "error")


def test_a_reason_that_holds_for_both_sides_is_given_once() -> None:
    wide = lines(precision_chart(LABS["three keys"], 120, 20))
    assert [row.rstrip() for row in wide if "e^z" in row] == [
        f"float16 naive, bfloat16 naive: {REASON}"
    ]
    ok = tuple(trial("float64", True) for _ in range(8))
    one = Lab("a", 0, (LABS["three keys"].sides[0], LabSide("scaled", 0.1309, ok)))
    rows = lines(precision_chart(one, 120, 20))
    assert any(row.startswith(f"float16 naive, bfloat16 naive, unscaled: {REASON}") for row in rows)
    masked_rows = plain(precision_chart(LABS["masked"], 120, 20))
    assert masked_rows.count("every key is masked") == 1
    assert "every trial: every key is masked" in masked_rows


def test_without_room_for_reasons_nan_stays_and_as_much_of_the_reason_as_fits() -> None:
    rows = precision_chart(LABS["three keys"], 76, 11)
    assert lines(rows)[7].split()[:4] == ["float16", "naive", "NaN", "e^z"]
    assert REASON[:36] in text_of(rows, "error")
    for width, height in ((120, 12), (80, 5), (40, 7), (40, 5), (24, 6), (22, 5)):
        shown = lines(precision_chart(LABS["three keys"], width, height))
        seen = [row for row in shown if row.startswith(("float16", "f16", "bfloat16", "bf16"))]
        assert sum(" NaN" in row for row in seen if "naive," not in row) == 2


@pytest.mark.parametrize("name", LABS)
@pytest.mark.parametrize("size", [(116, 11), (80, 5), (80, 4), (80, 3), (40, 7), (22, 3), (24, 2)])
def test_every_line_can_be_reached_in_a_low_pane(name: str, size: tuple[int, int]) -> None:
    last = last_first(LABS[name], *size)
    shown = [precision_chart(LABS[name], *size, first=first) for first in range(last + 1)]
    for rows in shown:
        check_block(rows, *size)
    if name != "masked":
        starts = {row.split()[0] for rows in shown for row in lines(rows) if row.strip()}
        for each in FORMATS:
            assert starts & {each, each.replace("bfloat", "bf").replace("float", "f")}
    for first in range(last + 1):
        end = lines(shown[first])[-1]
        assert (f"{last - first} more" in end) == (first < last)
        assert (f"{first} above" in end) == (first > 0)
    assert precision_chart(LABS[name], *size, first=-5) == shown[0]
    assert precision_chart(LABS[name], *size, first=99) == shown[-1]


@pytest.mark.parametrize("width", [116, 76, 38])
def test_the_last_line_says_what_differ_means(width: int) -> None:
    for height in (11, 30):
        assert "differ: " in lines(precision_chart(LABS["three keys"], width, height))[-1]
    assert "vanished" in lines(precision_chart(LABS["three keys"], 116, 11))[-1]


def test_in_few_rows_the_methods_of_a_format_share_a_line() -> None:
    rows = lines(precision_chart(LABS["three keys"], 38, 6))
    assert rows[1].split() == ["stable", "p", "error", "naive", "p", "error"]
    assert [row.split() for row in rows[2:]] == [
        ["f64", "0.1309", "0", "0.1309", "1.2e-08"],
        ["f32", "0.1309", "1.2e-07", "0.1309", "1.2e-06"],
        ["f16", "0.1309", "1.3e-05", "NaN", "e^z", "of", "…"],
        ["bf16", "0.1321", "1.3e-03", "NaN", "e^z", "of", "…"],
    ]
    few = precision_chart(LABS["three keys"], 38, 4)
    assert text_of(few, "scaled") == "scaled"
    assert lines(few)[-1].startswith("… 2 more")


def test_a_number_is_never_cut() -> None:
    for name in ("three keys", "a million keys"):
        for width in range(16, 60):
            for height in (4, 6, 10, 11):
                for row in lines(precision_chart(LABS[name], width, height)):
                    at = row.find("…")
                    assert at < 1 or not row[at - 1].isdigit() or "e^z" in row or "more" in row


def test_both_sides_stand_side_by_side_each_in_its_role() -> None:
    rows = precision_chart(LABS["three keys"], 116, 14)
    assert "exact p₀ = 1.93e-22" in text_of(rows, "unscaled")
    assert "exact p₀ = 0.1309" in text_of(rows, "scaled")
    compared = precision_chart(LABS["masked"], 116, 14)
    assert "pinned" in text_of(compared, "pinned")
    assert "now" in text_of(compared, "scaled")
    narrow = precision_chart(LABS["three keys"], 76, 14, side="unscaled")
    assert "1.93e-22" in lines(narrow)[0]


def test_the_keys_that_differ_are_named_below_the_reasons_largest_error_first() -> None:
    keys = [Differing(key, 0.4502, 0.5 + key / 8) for key in (0, 1, 2)]
    ok = replace(trial("float32", True), differing=(Differing(2, 0.24463, 0.24457),))
    far = replace(trial("bfloat16", True), differing=tuple(keys))
    gone = replace(trial("float16", False), differing=(Differing(0, 0.4502, NAN),))
    side = LabSide("scaled", 0.1309, (ok, far, gone))
    alike = tuple(replace(each, differing=()) for each in side.trials)
    one = Lab("a", 0, (LabSide("unscaled", 0.1, alike), side))
    narrow = [row.rstrip() for row in lines(precision_chart(one, 90, 16))]
    reason = next(at for at, row in enumerate(narrow) if "float16 naive: e^z" in row)
    assert narrow[reason + 1 : reason + 4] == [
        "bfloat16 stable differs at key 0: 0.5000 for 0.4502, key 1: 0.6250 for 0.4502",
        "float32 stable differs at key 2: 0.24457 for 0.24463",
        "",
    ]
    wide = plain(precision_chart(one, 120, 16))
    assert "bfloat16 stable, scaled, differs at key 0: 0.5000 for 0.4502, key 1: 0.6250" in wide
    assert "key 2: 0.7500 for 0.4502" in wide
    for width in (30, 116):
        for height in range(1, 20):
            check_block(precision_chart(one, width, height, first=3), width, height)
    low = (38, 7)
    last = precision_chart(one, *low, first=last_first(one, *low))
    assert "0.24463" in plain(last)
