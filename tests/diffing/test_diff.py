"""`attn_tui.diff` of two captures."""

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import attn_tui
from attn_tui import CaptureDifference, InputError
from attn_tui.captures.writer import write_safetensors
from attn_tui.diffing.asking import opened
from attn_tui.diffing.examine import compared
from attn_tui.doctor.report import Settings
from tests.diagnosis.heads import Numbers, attention
from tests.diffing.captures import D_K, SEEN, N, captured
from tests.pairs import slow_after

REFERENCE = captured()
BFLOAT16 = ml_dtypes.bfloat16


def verdicts(difference: CaptureDifference) -> dict[int, str]:
    return {layer.layer: layer.verdict for layer in difference.layers}


def pairs(difference: CaptureDifference) -> list[tuple[int, int]]:
    return [(layer.layer, layer.port_layer) for layer in difference.layers]


def test_a_capture_beside_itself_is_the_same_to_the_last_bit() -> None:
    difference = attn_tui.diff(REFERENCE, REFERENCE)
    assert difference.verdict == "same"
    assert difference.parting is None
    assert {row[part] for row in difference.rows() for part in ("q", "k", "v", "out")} == {0.0}


@pytest.mark.parametrize("is_coarse_first", [False, True])
def test_float32_and_bfloat16_have_the_same_attention(is_coarse_first: bool) -> None:
    both = [REFERENCE, captured(dtype=BFLOAT16)]
    difference = attn_tui.diff(*(both[::-1] if is_coarse_first else both))
    assert difference.verdict == "same"
    assert "q, k and v are the same to within a unit of bfloat16" in difference.line
    # What is stored in bfloat16 is half a unit off at most; what is computed of it may be more.
    apart = [row[part] for row in difference.rows() for part in ("q", "k", "v")]
    assert 0.3 < max(apart) <= 0.5
    assert max(row["out"] for row in difference.rows()) > 0.5


def test_a_scale_that_was_tampered_with_in_one_layer_is_named_with_both_sides() -> None:
    difference = attn_tui.diff(REFERENCE, captured(layer_1={"scale": 1 / D_K}))
    assert difference.verdict == "differs"
    assert difference.first is not None
    assert difference.first.layer == 1
    assert verdicts(difference) == {0: "same", 1: "differs", 2: "same"}
    assert "attention differs first in layer 1: REFERENCE: m = 0.25 = 1/√d_k" in difference.line
    port = difference.line.partition(". PORT: ")[2]
    assert port.startswith("m = 0.0625 = 1/16 = 1/d_k in ")
    assert "the scale twice, or µP's 1/d_k?" in port
    assert "attention is the same in layers 0, 2" in difference.line


def test_inputs_that_differ_are_no_other_attention_and_their_first_layer_is_named() -> None:
    difference = attn_tui.diff(REFERENCE, captured(noise=1e-5))
    assert difference.verdict == "same"
    assert difference.parting is not None
    assert difference.parting.layer == 1
    assert "its inputs differ from layer 1 on" in difference.line
    assert {row["layer"] for row in difference.rows() if row["out"] > 1} == {1}


def test_layers_that_one_of_them_lacks_are_left_out_and_named() -> None:
    port = {name: one for name, one in REFERENCE.items() if not name.startswith("1.")}
    difference = attn_tui.diff(REFERENCE, port)
    assert verdicts(difference) == {0: "same", 2: "same"}
    assert "PORT has no counterpart of layer 1 of REFERENCE." in difference.why


def test_other_axes_and_keys_stored_for_each_query_head_are_no_difference(tmp_path: Path) -> None:
    def stored(name: str, one: Numbers) -> Numbers:
        each = np.repeat(one, 2, axis=1) if name[2:] in ("k", "v") else one
        return each.swapaxes(1, 2)

    path = tmp_path / "port.npz"
    np.savez(path, allow_pickle=False, **{n: stored(n, one) for n, one in REFERENCE.items()})
    difference = attn_tui.diff(REFERENCE, str(path))
    # By itself, [1, 32, 2, 16] might be 32 heads of 2 positions.
    assert difference.verdict == "same"
    assert {row["k"] for row in difference.rows()} == {0.0}


def test_a_kv_head_that_is_not_that_of_the_group_differs() -> None:
    reference = captured(1, heads=4, kv_heads=2)
    port = dict(reference)
    # Query heads 0 to 3 take KV heads 0 1 0 1 in place of 0 0 1 1.
    tiled = {part: np.tile(port[f"0.{part}"], (1, 2, 1, 1)) for part in ("k", "v")}
    port["0.out"] = attention(port["0.q"], tiled["k"], tiled["v"], seen=SEEN)
    difference = attn_tui.diff(reference, port)
    assert difference.verdict == "differs"
    assert "KV head" in difference.line


def test_fewer_sequences_are_compared_as_far_as_they_go() -> None:
    two = captured(1, batch=2)
    one = {name: tensor[:1] for name, tensor in two.items()}
    assert attn_tui.diff(two, one).verdict == "same"
    more = attn_tui.diff(one, two)
    assert more.verdict == "same"
    assert [row["q"] for row in more.rows() if row["batch"]] == [None] * 2
    assert "REFERENCE has no sequence 1" in more.why[-1]


@pytest.mark.slow
def test_an_output_that_nothing_explains_differs_if_its_inputs_are_those_of_the_reference() -> None:
    rng = np.random.default_rng(9)
    reference = captured(1, heads=1, kv_heads=1, batch=1)
    port = dict(reference)
    port["0.out"] = port["0.out"] + rng.standard_normal(port["0.out"].shape, np.float32) / 4
    assert attn_tui.diff(reference, port).verdict == "differs"
    # With other inputs it may be the capture that is wrong.
    other = port | {"0.q": rng.standard_normal(port["0.q"].shape, np.float32)}
    assert attn_tui.diff(reference, other).verdict == "cannot tell"
    # Nothing can be held against a reference that nothing explains.
    unknown = attn_tui.diff(port, reference)
    assert unknown.verdict == "cannot tell"
    assert "layer 0: the doctor finds no model of its heads. REFERENCE: no mult" in unknown.line


SINKS = np.linspace(-1.0, 2.0, 2)


def rich(dtype: Any = np.float32, *, is_captured: bool = True, **how: Any) -> dict[str, Numbers]:
    """Return a layer with a soft cap and sinks whose numbers no configuration says."""
    rng = np.random.default_rng(8)
    q, k, v = (rng.standard_normal((1, h, 96, 32)).astype(dtype) for h in (2, 1, 1))
    q = (4 * q).astype(dtype)
    kind = {"seen": np.tri(96, dtype=bool), "softcap": 50.0, "sink": SINKS, **how}
    tensors = {"0.q": q, "0.k": k, "0.v": v, "0.out": attention(q, k, v, **kind)}
    return tensors | ({"0.sink": SINKS.astype(np.float32)} if is_captured else {})


@pytest.mark.slow
@pytest.mark.parametrize("is_captured", [False, True])
def test_a_cap_and_sinks_that_were_fitted_to_bfloat16_are_those_of_float32(
    is_captured: bool,
) -> None:
    reference = rich(BFLOAT16, is_captured=is_captured)
    assert attn_tui.diff(reference, rich(is_captured=is_captured)).verdict == "same"


@pytest.mark.parametrize(
    ("how", "says"),
    slow_after(
        1,
        [
            ({"sink": None}, "the sinks are dropped"),
            ({"softcap": None}, "soft cap none, promised 50"),
            ({"softcap": 30.0}, "soft cap 30, promised 50"),
            ({"sink": np.roll(SINKS, 1)}, "sink"),
        ],
    ),
)
def test_a_cap_or_sinks_of_the_reference_that_a_port_lacks_are_named(
    how: dict[str, Any], says: str
) -> None:
    difference = attn_tui.diff(rich(), rich(is_captured=False, **how))
    assert difference.verdict == "differs"
    assert says in difference.line.partition("PORT: ")[2]


PADDED = np.broadcast_to(SEEN, (2, 1, N, N)).copy()
PADDED[1, :, :, :8] = False


def padded(is_padded: bool, is_captured: bool) -> dict[str, Numbers]:
    """Return a layer whose second sequence has padding, or not, with its mask, or without."""
    seen = PADDED if is_padded else np.broadcast_to(SEEN, PADDED.shape)
    tensors = captured(1, batch=2, seen=seen)
    return tensors | ({"0.mask": seen} if is_captured else {})


@pytest.mark.parametrize(
    "is_captured",
    slow_after(1, [((True, False),), ((True, True),), ((False, True),), ((False,) * 2,)]),
)
@pytest.mark.parametrize(
    "is_padded", slow_after(1, [((True, True),), ((True, False),), ((False, True),)])
)
def test_padding_is_part_of_attention_whoever_captured_its_mask(
    is_captured: tuple[bool, bool], is_padded: tuple[bool, bool]
) -> None:
    reference, port = (padded(*one) for one in zip(is_padded, is_captured, strict=True))
    difference = attn_tui.diff(reference, port)
    assert difference.verdict == ("same" if len({*is_padded}) == 1 else "differs")


@pytest.mark.slow
@pytest.mark.parametrize("is_captured", [False, True])
def test_what_stands_at_padding_is_not_compared(is_captured: bool) -> None:
    reference, port = padded(True, is_captured), padded(True, is_captured)
    for part in ("q", "k", "v", "out"):
        port[f"0.{part}"][1, :, :8] += 100.0
    difference = attn_tui.diff(reference, port)
    assert {row[part] for row in difference.rows() for part in ("q", "k", "v", "out")} == {0.0}
    port["0.k"][1, 0, 8, 3] += 100.0
    farthest = attn_tui.diff(reference, port).layers[0].farthest("qkv")
    assert farthest is not None
    one = farthest[0].distances["k"]
    assert (farthest[1], one.row, one.column) == ("k", 8, 3)


@pytest.mark.slow
def test_a_mask_that_follows_no_rule_has_to_be_that_of_the_reference() -> None:
    odd = np.random.default_rng(5).random((N, N)) < 0.6
    odd |= np.eye(N, dtype=bool)
    reference = captured(1, seen=odd) | {"0.mask": odd}
    assert attn_tui.diff(reference, captured(1, seen=odd)).verdict == "same"
    assert attn_tui.diff(reference, captured(1)).verdict == "differs"
    other = odd[::-1, ::-1]
    assert (
        attn_tui.diff(reference, captured(1, seen=other) | {"0.mask": other}).verdict == "differs"
    )


def test_nan_in_one_of_them_is_infinitely_far_and_in_both_is_none() -> None:
    port = {name: one.copy() for name, one in REFERENCE.items()}
    port["0.v"][0, 0, 3, 2] = np.nan
    difference = attn_tui.diff(REFERENCE, port)
    assert difference.parting is not None
    assert difference.parting.layer == 0
    assert "v of head 0 most: NaN or infinity in one of them, first at row 3" in difference.line
    assert {row["v"] for row in attn_tui.diff(port, port).rows()} == {0.0}


@pytest.mark.slow
def test_a_configuration_promises_the_reference(tmp_path: Path) -> None:
    llama = {"model_type": "llama", "hidden_size": 32, "num_attention_heads": 2,
             "num_key_value_heads": 1, "num_hidden_layers": 3}  # fmt: skip
    port = captured(layer_2={"scale": 1.0})
    difference = attn_tui.diff(REFERENCE, port, config=llama)
    assert difference.reference.verdict == "agrees"
    assert verdicts(difference) == {0: "same", 1: "same", 2: "differs"}
    # What the reference computes counts, not what it was meant to.
    reversed_ = attn_tui.diff(port, REFERENCE, config=llama)
    assert reversed_.reference.verdict == "differs"
    assert verdicts(reversed_) == {0: "same", 1: "same", 2: "differs"}
    assert attn_tui.diff(port, port, config=llama).verdict == "same"


@pytest.mark.slow
def test_layers_are_matched_by_name(tmp_path: Path) -> None:
    port = {f"blk.{int(name[0]) + 1}{name[1:]}": one for name, one in REFERENCE.items()}
    for match in ("0=1,1=2,2=3", "0=blk.1,1=blk.2,2=blk.3"):
        difference = attn_tui.diff(REFERENCE, port, match=match)
        assert [(one.layer, one.port_layer) for one in difference.layers] == [
            (0, 1),
            (1, 2),
            (2, 3),
        ]
        assert difference.parting is None
    wrong = attn_tui.diff(REFERENCE, port, match="{layer}=blk.{layer}")
    assert [(one.layer, one.port_layer) for one in wrong.layers] == [(1, 1), (2, 2)]
    # Recipes write what modules are called; layers are numbered in the order of their calls.
    sides = []
    for index, order in enumerate(((0, 1), (1, 0))):
        modules = {f"{layer}.module": f"decoder.{name}" for layer, name in enumerate(order)}
        tensors = {
            f"{layer}.{part}": REFERENCE[f"{name}.{part}"]
            for layer, name in enumerate(order)
            for part in ("q", "k", "v", "out")
        }
        sides.append(str(tmp_path / f"{index}.safetensors"))
        write_safetensors(Path(sides[-1]), tensors, modules)
    assert attn_tui.diff(*sides).parting is not None
    by_name = attn_tui.diff(*sides, match="names")
    assert pairs(by_name) == [(0, 1), (1, 0)]
    assert by_name.parting is None


@pytest.mark.parametrize("share", [0.2, 0.6])
def test_a_run_that_is_stopped_tells_what_it_knows(share: float) -> None:
    known: list[CaptureDifference] = []
    both = opened((REFERENCE, captured(layer_0={"scale": 1.0})), "", None, ("", ""), ("", ""))

    def stop() -> bool:
        return known[-1].progress > share

    for difference in compared(both, "", Settings(), stop):
        known.append(difference)
    assert difference.is_interrupted
    # Of PORT's first layer one head is known, and differs.
    is_known = share > 0.5
    assert difference.verdict == ("differs" if is_known else "cannot tell")
    assert str(difference).startswith("differs: " if is_known else "cannot tell: stopped")


@pytest.mark.parametrize(
    ("port", "options", "says"),
    [
        ({}, {}, "port: it is empty; expected the path of a capture"),
        (None, {}, "port: it is none; expected the path of a capture"),
        ("no.npz", {}, "port, 'no.npz': there is no such file"),
        (captured(1, heads=4), {}, "port: layer 0 has 4 heads; expected 2, as layer 0 of REF"),
        (REFERENCE, {"match": "0=7"}, "match: PORT has no layer '7'; expected one of 0, 1, 2"),
        (REFERENCE, {"match": "0"}, "match: '0' means nothing; expected names, or REFERENCE=PORT"),
        (REFERENCE, {"match": "0=1,0=2"}, "match: it has layer 0 or PORT's layer 2 twice"),
        (REFERENCE, {"expect": "x=1"}, "expect: 'x=1' means nothing"),
        (REFERENCE, {"rows": 0}, "rows: it is '0'"),
    ],
)
def test_what_cannot_be_compared_is_named(port: Any, options: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as caught:
        attn_tui.diff(REFERENCE, port, **options)
    assert str(caught.value).startswith(says)


def test_other_layers_of_the_same_model_are_refused() -> None:
    port = {f"{int(name[0]) + 5}{name[1:]}": one for name, one in REFERENCE.items()}
    with pytest.raises(InputError, match=r"port: it has layers 5, 6, 7; expected some of 0, 1, 2"):
        attn_tui.diff(REFERENCE, port)


@pytest.mark.slow
def test_a_cap_that_only_all_heads_of_float32_show_is_no_difference_from_bfloat16() -> None:
    rng = np.random.default_rng(1106)
    q = rng.standard_normal((1, 4, 48, 16)) / 2
    k, v = rng.standard_normal((2, 1, 4, 48, 16))
    sides = []
    for dtype in (BFLOAT16, np.float32):
        made = [one.astype(dtype) for one in (q, k, v)]
        out = attention(*made, scale=0.3, softcap=50.0, seen=np.tri(48, dtype=bool))
        sides.append(dict(zip(("0.q", "0.k", "0.v", "0.out"), (*made, out), strict=True)))
    assert attn_tui.diff(*sides).verdict == "same"
    assert attn_tui.diff(*sides[::-1]).verdict == "same"
