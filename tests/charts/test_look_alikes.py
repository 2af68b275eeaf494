"""ASCII in place of signs that an encoding has not."""

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import attn_tui
from attn_tui.charts.look_alikes import LOOK_ALIKE, in_words, look_alike
from attn_tui.report.rows import cells


def test_every_sign_of_the_program_has_a_look_alike() -> None:
    signs = {
        character
        for file in Path(attn_tui.__file__).parent.rglob("*.py")
        if file.stem != "visible"  # It lists emoji that others may write.
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for character in node.value
        if not character.isascii()
    }
    assert {"√", "∂", "█", "⣤", "│", "₂"} <= signs
    assert {sign for sign in signs if look_alike(sign).startswith("?")} <= {"�", "、", "∫"}


@given(st.text())
def test_it_is_ascii_and_takes_as_many_cells(text: str) -> None:
    plain = "".join(map(look_alike, text))
    assert plain.isascii()
    assert len(plain) == cells(text)


@pytest.mark.parametrize(
    ("encoding", "written"),
    [("ascii", "|dp/ds| + 2, 1/vd_k, e, ? "), ("iso8859-1", "|dp/ds| ± ², 1/vd_k, é, ? ")],
)
def test_only_what_an_encoding_has_not_is_replaced(encoding: str, written: str) -> None:
    assert "‖∂p/∂s‖ ± ², 1/√d_k, é, 注".encode(encoding, LOOK_ALIKE).decode(encoding) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("slope −½ or ½", "slope -1/2 or 1/2"),
        ("within ±2√d_k = ±64, ≈ 3", "within +-2*sqrt(d_k) = +-64, ~ 3"),
        ("σ → ∞, σ_c = √(2 ln n)", "sigma -> inf, sigma_c = sqrt(2 ln n)"),
        ("m² ≤ 1/Σp², ρ ≠ r", "m^2 <= 1/sum p^2, rho != r"),
        ("Σ_i, ‖∂p₀/∂s₁₂‖₂", "sum_i, ||dp_0/ds_12||_2"),
        ("10³, 10⁴, 10⁵", "10^3, 10^4, 10^5"),
        ("“q” — k", '"q" - k'),
    ],
)
def test_reports_have_words_for_mathematics(text: str, written: str) -> None:
    assert in_words(text, "ascii").encode("ascii", LOOK_ALIKE).decode() == written
    assert in_words(text, "utf-8") == text


def test_a_paragraph_keeps_its_indent() -> None:
    line = f"{'':13}64, m = 1/√256"
    assert in_words(line, "ascii") == f"{'':13}64, m = 1/sqrt(256)"


def test_what_stands_behind_a_label_begins_where_it_did() -> None:
    line = "may be       1/√576: the absorbed dimension"
    assert in_words(line, "ascii") == "may be       1/sqrt(576): the absorbed dimension"


def test_words_keep_to_the_columns_of_a_table() -> None:
    table = (
        "               sampled ± error    exact\n"
        "mean          0.300 ± 1.000        ∞\n"
        "‖∂p/∂s‖₂        12.5 ± 0.3          5\n"
        "within           ±64               ∞\n"
    )
    assert in_words(table, "ascii").replace("∂", "d") == (
        "              sampled +- error    exact\n"
        "mean         0.300 +- 1.000      inf\n"
        "||dp/ds||_2    12.5 +- 0.3          5\n"
        "within          +-64             inf\n"
    )


def test_numbers_side_by_side_take_the_blanks_before_them() -> None:
    line = "mean size    25.649 ± 0.061  25.5261      0.8015 ± 0.0019 0.797690"
    wanted = "mean size   25.649 +- 0.061  25.5261     0.8015 +- 0.0019 0.797690"
    assert in_words(line, "ascii") == wanted


def test_names_keep_their_quotes_and_letters() -> None:
    assert "“x” ‘y’ — • æß".encode("ascii", LOOK_ALIKE).decode() == "\"x\" 'y' - * as"
