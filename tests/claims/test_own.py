"""Claims that somebody writes: what a file says, and what is wrong with it."""

from pathlib import Path

import pytest

from attn_tui.claims.answer import opened
from attn_tui.claims.claim import try_claim
from attn_tui.claims.own import read_claims
from attn_tui.commands.asking import answered
from attn_tui.compute.errors import InputError
from tests.pairs import with_rows

GOOD = """\
[[claim]]
id = "mine-1"
says = "Two equal keys share."
ask = "attn-tui show 1,1"
quantity = "vectors[0].unscaled.max_weight"
expected = 0.5

[[claim]]
id = "mine-2"
says = "The variance is 2·d_k."
ask = "dot --d-k 64 --samples 1e4"
quantity = "unscaled.variance"
expected = 128
"""


def written(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text)
    return str(path)


def test_a_file_says_what_is_asked_and_expected(tmp_path: Path) -> None:
    one, two = read_claims(written(tmp_path, GOOD), answered).values()
    assert try_claim(one).verdict == "holds"
    found = try_claim(two)
    assert found.verdict == "false"
    (evidence,) = found.cases[0].evidence
    assert evidence.standard_error
    assert evidence.is_near(64.0)
    shown = opened(two, two.trial)
    assert shown
    assert shown[0].name == "dots"

    # A drawn number may be off by its error alone.
    text = GOOD.replace("128", "64")
    assert try_claim(read_claims(written(tmp_path, text), answered)["mine-2"]).verdict == "holds"


@with_rows(
    ("old", "new", "message"),
    [
        ('id = "mine-2"', 'id = "mine-1"', "claim 2: 'mine-1' stands twice; expected each id once"),
        ('says = "The', 'syas = "The', "claim 2: 'syas' is unknown; expected one of id, says,"),
        ("expected = 128", "expected = nan", "claim 2: expected will not do; expected a finite"),
        ("expected = 128", "", "claim 2: expected is missing; expected a line expected = …"),
        ("expected = 128", "expected = 128\nwithin = -1", "within will not do; expected a number"),
        ("dot --d-k 64", "dot --d-k 0", "claim 2: d_k: '0' will not do"),
        ("dot --d-k 64", "dto --d-k 64", "claim 2: ask: 'dto' is no command; expected one of show"),
        ("dot --d-k", "dot 'd-k", "has an open quote; expected a closed one"),
        ("show 1,1", "show -", "claim 1: ask: - asks nothing here"),
        (".variance", ".varaince", "'varaince' of 'unscaled.varaince' is not there; expected one"),
        (
            "unscaled.variance",
            "table[9].d_k",
            "'9' of 'table[9].d_k' is not there; expected one of 0",
        ),
        (
            ".variance",
            "..variance",
            "'' of 'unscaled..variance' is not there; expected one of mean",
        ),
        ("unscaled.variance", "unscaled", "'unscaled' is no number; expected mean, variance"),
        ("unscaled.variance", "seed.of", "'of' of 'seed.of' is not there; expected nothing behind"),
        ("unscaled.variance", "generator", "'generator' is no number; expected a number that the"),
    ],
)
def test_an_error_names_the_claim(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in GOOD
    with pytest.raises(InputError) as error:
        try_claim([*read_claims(written(tmp_path, GOOD.replace(old, new)), answered).values()][1])
    assert message in str(error.value)
    assert "claim " in str(error.value)
