"""What the doctor prints: one line to paste, and JSON whose every field is documented."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from attn_tui.captures.capture import Capture, HeadId
from attn_tui.captures.opening import open_capture
from attn_tui.compute.fit.diagnosis import Diagnosis, Stretch, Suspect, Temperature
from attn_tui.compute.fit.simulate import Arithmetic
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.doctor.report import Finding, Report, Settings, status
from attn_tui.doctor.verdict import judge
from attn_tui.files.models.expected import NONE, Expectation, Expected
from attn_tui.old.charts.heads.findings import finding_rows
from attn_tui.old.tui.heads.examining import TITLES
from attn_tui.report.doctor import json as doctor_json
from attn_tui.report.doctor import text
from attn_tui.report.doctor.groups import groups
from attn_tui.report.doctor.headline import headline
from attn_tui.report.doctor.line import verdict_line, why
from attn_tui.report.headline import FULL, SHORT, wrapped
from attn_tui.report.rows import length, plain
from tests.doctor.captures import write
from tests.doctor.fakes import Cap, Log, Sink, Straight, diagnosis

DOCS = Path(__file__).parents[2] / "docs" / "json.md"
PLAIN = Expected(0.25, NONE, NONE, "causal", None, 1.0)

HEADS: dict[str, tuple[Diagnosis, Expected | None]] = {
    "agrees": (diagnosis(0.25), PLAIN),
    "another m": (diagnosis(0.5), PLAIN),
    "no cap": (diagnosis(0.25), Expected(0.25, 50.0)),
    "a sink": (diagnosis(0.25, sink=Sink(2.0, 1e-3)), PLAIN),
    "value scale": (diagnosis(0.25, value_scale=Straight(0.707, 1e-4)), PLAIN),
    "window": (
        diagnosis(0.25, mask=HeadMask("window", 3, 8), window=Straight(8.0, 0.1)),
        Expected(0.25, mask="window", window=9),
    ),
    "by row": (
        diagnosis(
            multiplier=None,
            temperature=Temperature("by row", ((3, Log(0.2, 1e-3)), (9, Log(0.4, 1e-3)))),
        ),
        PLAIN,
    ),
    "nothing fits": (
        diagnosis(multiplier=None, mask=None, fits=False, suspects=(
            Suspect("output after o_proj", "no", "its first rows are mixtures of their values"),
        )), PLAIN,
    ),
    "vague cap": (diagnosis(0.25, softcap=Cap(4e-4, 1.0)), Expected(0.25, 50.0)),
    "a cap": (diagnosis(0.25, softcap=Cap(1 / 900, 1e-7), sink=Sink(2.0, 1e-3)), None),
    "twice": (
        diagnosis(multiplier=None, mask=None, fits=False, suspects=(
            Suspect("padding", "no", "nor does it fit without keys at one end"),
            Suspect("softmax twice", "yes", "it fits softmax taken twice, with m near 0.1", 0.02),
        )), None,
    ),
    "confounded": (
        diagnosis(0.25, sink=None, confounded=(("sink", "value_scale"),),
                  undetermined=(("sink", "it does what a value scale does"),)), None,
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Capture:
    path = tmp_path_factory.mktemp("capture") / "a.safetensors"
    return open_capture([write(path, Arithmetic(0.25), heads=len(HEADS))])


def finding(capture: Capture, name: str) -> Finding:
    found, expected = HEADS[name]
    id = HeadId(0, 0, [*HEADS].index(name))  # noqa: A001
    judged = judge(found, expected, 0.999, masks=("causal",))
    return Finding(id, capture.shape(id), expected, found, judged)


def report(capture: Capture, *names: str, **given: Any) -> Report:
    expects = any(HEADS[name][1] for name in names)
    expectation = Expectation("config.json: head_dim 16", PLAIN) if expects else None
    findings = tuple(finding(capture, name) for name in names)
    return Report(capture, expectation, Settings(), len(findings), findings, **given)


def plain_of(made: Report) -> dict[str, Any]:
    def refuse(token: str) -> None:
        raise AssertionError(token)

    plain: dict[str, Any] = json.loads("".join(doctor_json.render(made)), parse_constant=refuse)
    return plain


@pytest.mark.parametrize(
    ("names", "verdict", "code"),
    [
        (("agrees",), "agrees", 0),
        (("confounded",), "no expectation", 0),
        (("agrees", "vague cap"), "cannot tell", 3),
        (("agrees", "vague cap", "no cap"), "differs", 1),
        (("nothing fits", "agrees"), "cannot tell", 3),
        ((), "cannot tell", 3),
    ],
)
def test_the_worst_head_decides(
    capture: Capture, names: tuple[str, ...], verdict: str, code: int
) -> None:
    made = report(capture, *names)
    assert (made.verdict, status(made)) == (verdict, code)
    assert status(made, required=True) == (3 if verdict == "no expectation" else code)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("agrees", "agrees: m = 0.250000, mask causal as expected"),
        ("another m", "differs: m = 2/√16, expected 0.25 = 1/√16"),
        (
            "no cap",
            "differs: soft cap none, or above 700, expected 50: dropped? (as in sglang 33915); ",
        ),
        ("a sink", "differs: sink b = 0.6931 (0.6921 to 0.6942), expected none"),
        ("value scale", "differs: value scale 0.70700 (0.70680 to 0.70720), expected 1: a scale"),
        ("window", "differs: mask window of 8 keys, query 0 at key 3, expected window of"),
        ("by row", "differs: m is another for each row, from 0.2 to 0.4, expected 0.25"),
        ("nothing fits", "cannot tell: nothing fits (tested: output after o_proj)"),
        ("vague cap", "cannot tell: soft cap is unknown: logits are too small to tell a cap of 50"),
        ("confounded", "no expectation: m = 0.250000; give --config to compare; "),
        ("a cap", "no expectation: m = 0.250000, soft cap 30, sink b = 0.693; give"),
        ("twice", "cannot tell: it fits softmax taken twice, with m near 0.1; residual"),
    ],
)
def test_the_line_to_paste_says_what_was_found(capture: Capture, name: str, said: str) -> None:
    line = verdict_line(report(capture, name))
    assert line.startswith(said)
    assert "residual 0.002" in line
    assert "1 of 1 head" in line
    assert "\n" not in line


def test_text_has_the_line_first_and_evidence_in_80_columns(capture: Capture) -> None:
    made = report(capture, *HEADS)
    first, *lines = "".join(text.render(made)).splitlines()
    assert first == verdict_line(made)
    assert max(len(line) for line in lines if str(capture.paths[0]) not in line) <= 80
    assert "more heads in" in lines[-1]


@pytest.mark.parametrize("names", [(name,) for name in HEADS] + [(*HEADS,), ("agrees", "no cap")])
def test_the_headline_is_the_verdict_in_two_lines(capture: Capture, names: tuple[str, ...]) -> None:
    made = report(capture, *names)
    said = headline(made)
    for width, sentence in ((FULL, said.full), (SHORT, said.short)):
        assert len(wrapped(sentence, width)) <= 2
        assert sentence[-1] in ".?"
    if made.verdict in ("agrees", "differs"):
        count = made.counts[made.verdict]
        heads = f"{count} of {len(names)} heads" if count < len(names) else "The head "
        assert said.full.startswith(heads)
    if len(names) == 1 and made.verdict == "differs":
        assert verdict_line(made).split(" (as in")[0].removeprefix("differs: ")[:20] in said.full
    partly = headline(replace(made, total=len(names) + 1)).full
    assert partly.startswith("So far ")
    first = replace(made, findings=())
    assert verdict_line(first) == "cannot tell: nothing is known before the first head"
    assert "stopped" in verdict_line(replace(first, interrupted=True))
    nothing = headline(first)
    assert nothing.full.startswith("The doctor looks at the first of")


@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize(("width", "height"), [(120, 34), (80, 18), (40, 9), (40, 3), (12, 1)])
def test_a_screen_shows_what_was_found_beside_what_was_expected(
    capture: Capture, name: str, width: int, height: int
) -> None:
    findings = [finding(capture, each) for each in HEADS]
    lines = [
        (str(each.id.layer), str(each.id.head), *["said", "of", "all"], *"abcde")
        for each in findings
    ]
    place = [*HEADS].index(name)
    rows = finding_rows(findings, TITLES, lines, place, width, height)
    assert [length(row) for row in rows] == [width] * height
    seen, found = plain(rows), findings[place]
    if height < 9:
        return
    assert f"▸    0{place:>6}" in seen
    if found.diagnosis.fits:
        assert all(word in seen for word in ("found", "m ", "soft cap", "sink", "mask"))
        # What differs is marked, and nothing else is.
        marked = {line[1:13].strip() for line in seen.splitlines() if "≠" in line}
        named = {"multiplier": "m", "temperature": "m", "softcap": "soft cap", "window": "mask",
                 "value_scale": "value scale"}  # fmt: skip
        assert marked - {""} == {named.get(each, each) for each in found.judgement.differs}
    else:
        assert "nothing fits" in " ".join(seen.split())


def test_a_narrow_screen_says_how_sure_each_number_is(capture: Capture) -> None:
    fitted = diagnosis(0.25, softcap=Cap(0.0, 1e-4), sink=Sink(0.0, 1e-3))
    found = replace(finding(capture, "agrees"), diagnosis=fitted)
    said = {line[:13].strip(): line[13:28].strip() for line in text.evidence(found, 38)}
    assert re.fullmatch(r"0\.25\d*±[\d.e-]+", said["m"])
    assert said["soft cap"].startswith("none or >")
    assert said["sink"].startswith("none or <−")


@pytest.mark.parametrize("width", [36, 38, 60])
def test_a_narrow_screen_says_how_long_a_window_is(capture: Capture, width: int) -> None:
    expected = Expected(0.25, mask="window", window=1024, source="config.json")
    found = replace(finding(capture, "agrees"), expected=expected)
    said = "".join(text.evidence(found, width)).partition("mask ")[2]
    assert re.search(r"≠? window (of )?1,024", said)


def test_an_interrupted_report_says_how_far_it_came(capture: Capture) -> None:
    made = report(capture, "agrees", interrupted=True)
    assert next(why(made)) == "Stopped after 1 of 1 head."
    partly = replace(report(capture, "agrees"), total=3)
    assert "; 1 of 1 head so far, 2 left, 32 of 64 rows" in verdict_line(partly)
    assert verdict_line(report(capture, interrupted=True)).startswith("cannot tell: stopped")


def fields(plain: Any, place: str = "") -> Iterator[str]:
    """Yield every field of an object, those of lists of objects with brackets."""
    if isinstance(plain, dict):
        for name, value in plain.items():
            at = f"{place}.{name}" if place else name
            yield at
            if at not in ("counts",) and not re.search("value_scale|softcap|sink|window", at):
                yield from fields(value, at)
    elif isinstance(plain, list):
        for item in plain:
            yield from fields(item, place + "[]")


def test_json_has_the_fields_of_the_documentation_and_no_others(capture: Capture) -> None:
    plain = plain_of(report(capture, *HEADS))
    section = DOCS.read_text().partition("## Doctor\n")[2].partition("\n## ")[0]
    documented = re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)
    shown = dict.fromkeys(fields(plain))
    nested = {each for each in shown if each.startswith("heads[].expected.")}
    assert {*shown} - nested <= {*documented}
    assert {*documented} - {"expected.window"} <= {*shown}


def test_json_says_none_and_unknown_apart(capture: Capture) -> None:
    heads = plain_of(report(capture, *HEADS))["heads"]
    found = dict(zip(HEADS, heads, strict=True))
    assert found["agrees"]["softcap"]["value"] is None
    assert found["agrees"]["softcap"]["low"] > 600
    assert found["agrees"]["softcap"]["high"] is None
    assert found["agrees"]["sink"]["low"] is None
    assert found["confounded"]["sink"] is None
    assert found["confounded"]["confounded"] == [["sink", "value_scale"]]
    assert found["nothing fits"]["multiplier"] is None
    assert found["nothing fits"]["mask"] is None
    assert [row[0] for row in found["by row"]["temperature"]["rows"]] == [3, 9]
    assert found["window"]["query_offset"] == 3
    assert found["no cap"]["expected"]["softcap"] == 50.0


def two_layers(capture: Capture, expected: Expected | None, *found: tuple[float, int]) -> Report:
    """Return a report of two heads of each layer, which have this m and this d_k."""
    findings = []
    for layer, (m, d_k) in enumerate(found):
        for head in range(2):
            made = diagnosis(m)
            own = expected and replace(expected, multiplier=0.25 / (layer + 1))
            shape = replace(capture.shape(HeadId(0, 0, head)), d_k=d_k)
            judged = judge(made, own, 0.999, masks=("causal",))
            named = ("inverse-sqrt",) if m == d_k**-0.5 else ()
            findings.append(Finding(HeadId(0, layer, head), shape, own, made, judged, named))
    source = Expectation("config.json", expected) if expected else None
    return Report(capture, source, Settings(), len(findings), tuple(findings))


def test_heads_of_another_d_k_have_another_m_by_the_same_name(capture: Capture) -> None:
    made = two_layers(capture, None, (0.25, 16), (0.125, 64))
    assert [each.places for each in groups(made)] == ["2 heads of layer 0", "2 heads of layer 1"]
    line = verdict_line(made)
    assert "(d_k = 16) in 2 heads of layer 0; m = 0.125" in line
    assert "(d_k = 64) in 2 heads of layer 1; give --config to compare; " in line
    assert "--config" not in headline(made).full


def test_the_line_says_of_which_layer_its_numbers_are(capture: Capture) -> None:
    made = two_layers(capture, PLAIN, (0.5, 16), (0.5, 16))
    assert verdict_line(made).startswith("differs: m of layer 0 = 2/√16, expected 0.25 = 1/√16; ")
    assert "; 4 of 4 heads, 32 of 64 rows of each; " in verdict_line(made)


def test_the_line_says_which_layers_differ_and_each_way_a_mask_does(capture: Capture) -> None:
    window = Expected(0.25, mask="window", window=8)
    made = two_layers(capture, PLAIN, (0.25, 16), (0.5, 16))
    assert "; 2 of 4 heads (all of layer 1; 2 agree), " in verdict_line(made)
    narrow = diagnosis(0.25, mask=HeadMask("window", window=8), window=Straight(8.0, 0.1))
    ways = ((narrow, PLAIN), (diagnosis(0.25), window))
    findings = [
        replace(
            each,
            diagnosis=found,
            expected=expected,
            judgement=judge(found, expected, 0.999, masks=(shown,)),
        )
        for shown, each, (found, expected) in zip(
            ("window", "window", "causal", "causal"),
            made.findings,
            [way for way in ways for _ in range(2)],
            strict=True,
        )
    ]
    line = verdict_line(replace(made, findings=tuple(findings)))
    assert "mask window of 8 keys, expected causal in 2 heads of layer 0; mask causal" in line
    assert "expected window of 8 keys in 2 heads of layer 1; residual" in line


def test_a_sink_that_differs_is_that_of_a_head(capture: Capture) -> None:
    line = verdict_line(report(capture, "a sink", "a sink"))
    assert "expected none in layer 0, head " in line


def test_caps_that_some_heads_have_are_counted(capture: Capture) -> None:
    line = verdict_line(report(capture, "a cap", "confounded"))
    assert ", soft cap 30 in 1 of 2 heads, sink b = 0.693 in 1 of 2 heads; give" in line


def test_other_programs_are_told_the_multiplier_that_has_a_name(capture: Capture) -> None:
    for m, names, said in (
        (0.2501, ("inverse-sqrt",), "query_pre_attn_scalar = 16 (Gemma)"),
        (0.2501, ("fixed:a=24",), "query_pre_attn_scalar = 24 (Gemma)"),
        (0.2501, (), "query_pre_attn_scalar = 15.99 (Gemma)"),
    ):
        found = finding(capture, "agrees")
        own = replace(found, diagnosis=diagnosis(m), names=names)
        assert said in " ".join(" ".join(text.evidence(own)).split())


def test_a_multiplier_within_its_interval_is_the_same(capture: Capture) -> None:
    made = two_layers(capture, None, (0.0734, 16), (0.07341, 16))
    assert len(groups(made)) == 1
    assert len(groups(two_layers(capture, None, (0.0734, 16), (0.08, 16)))) == 2


def test_a_value_scale_beside_a_sink_is_short_where_there_is_little_room(capture: Capture) -> None:
    for with_sink, said, short in (
        (None, "0.9010 without a sink", "0.901, no sink"),
        (Straight(1.0, 1e-3), "1.0000 with the captured sink", "1, with sink"),
    ):
        stretch = Stretch(Straight(0.901, 1e-3), with_sink)
        found = diagnosis(0.25, value_scale=None, sink=None, stretch=stretch)
        made = replace(finding(capture, "a cap"), diagnosis=found)
        assert f"value scale  {said}\n" in "".join(text.evidence(made))
        narrow = "".join(text.evidence(made, 32))
        assert f"value scale  {short}\n" in narrow
        assert "expected" not in narrow
