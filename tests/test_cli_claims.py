"""``attn-tui claims`` and ``attn-tui claim`` on the command line."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from attn_tui.claims.claim import try_claim
from attn_tui.claims.ledger import find, ledger
from attn_tui.claims.matches import asked, hits
from attn_tui.claims.report import total_line
from attn_tui.commands.program import program
from attn_tui.files.codec import experiment_from_plain
from attn_tui.files.faq import asked_about

DOCS = Path(__file__).parents[1] / "docs" / "claims.md"
FIELDS = {"id", "source", "claim", "verdict", "basis", "evidence", "condition", "instrument"}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(program, arguments)


def test_one_claim_says_its_verdict_first_and_fits_into_80_columns() -> None:
    result = run("claim", "s0-14")
    assert result.exit_code == 0
    says = "“For zero-mean entries the expected dot product is d_k.” It is false.\n"
    assert result.stdout.startswith(says)
    assert "mean of q·k" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


@pytest.mark.slow
def test_the_ledger_is_json_with_null_for_what_is_not_there() -> None:
    result = run("claims", "--json", "--seed", "2")
    plain = json.loads(result.stdout)
    assert {*plain} == {"schema", "seed", "claims"}
    assert [each["id"] for each in plain["claims"]] == [*ledger()]
    for each in plain["claims"]:
        assert {*each} >= FIELDS | {"experiment"}
        assert (each["instrument"] is None) == (each["experiment"] is None)
        assert (each["instrument"] is None) == (each["command"] is None)
        assert (each["verdict"] == "conditional") or each["condition"] is None
        if each["experiment"]:
            experiment_from_plain(each["experiment"])
        for number in each["evidence"]:
            assert {"name", "value", "standard_error", "stated", "exact"} <= {*number}


def test_csv_has_a_line_for_each_number() -> None:
    rows = [*csv.DictReader(run("claim", "S2-11", "--csv", "--draws", "10").stdout.splitlines())]
    assert [row["name"] for row in rows] == [
        "share of |q·k| beyond 2√2",
        "share beyond 10, exactly",
    ]
    assert {row["verdict"] for row in rows} == {"false"}
    assert float(rows[0]["exact"]) == pytest.approx(0.0591, abs=1e-4)


@pytest.mark.slow
def test_every_claim_has_a_line_of_which_nothing_is_cut_in_a_pipe() -> None:
    result = run("claims")
    *lines, total = result.stdout.splitlines()
    assert [line.split()[0] for line in lines] == [*ledger()]
    assert not any("…" in line for line in lines)
    assert total.startswith(f"{len(ledger())} claims: ")


def test_words_try_the_claims_that_they_find_the_best_first() -> None:
    result = run("claims", "Softmax", "cap", "--json")
    assert [each["id"] for each in json.loads(result.stdout)["claims"]][:1] == ["L-8"]
    whole = run("claims", "softmax cap", "--json")
    assert [each["id"] for each in json.loads(whole.stdout)["claims"]][:1] == ["L-8"]


def test_words_are_answered_with_what_a_claim_says_and_what_is_right() -> None:
    text = " ".join(run("claims", "first token").stdout.split())
    assert text.startswith("L-36 “A model looks at its first token because that token matters.”")
    assert "It holds only where its logit is ahead and its value is not small." in text
    assert "Weight alone does not show it. Rows sum to 1, and under a causal mask" in text
    assert "mean weight of key 0 0.258601" in text


def test_words_that_find_nothing_are_an_empty_list_and_the_nearest_are_named() -> None:
    result = run("claims", "temprature", "--json")
    assert (result.exit_code, json.loads(result.stdout)["claims"]) == (0, [])
    assert result.stderr.startswith("attn-tui: no claim is about 'temprature'; the nearest are L-")
    assert run("claims", "qqq").stdout.startswith("0 claims: none tried")


def test_what_people_ask_stands_below_the_claims_with_its_reply_and_its_line() -> None:
    lines = {
        "linear attention": "attn-tui claim L-43 ",
        "longrope": "attn-tui sweep --n 8192 ",
        "sigmoid attention": "attn-tui dot --d-k 64 ",
        "cross-attention": "attn-tui claim S0-1 ",
    }
    for typed, line in lines.items():
        text = run("claims", *typed.split()).stdout
        assert max(map(len, text.splitlines())) <= 80
        flat = " ".join([*text.split(), ""])
        assert line in flat[flat.index("asked ") :], typed
        # The list for programs has claims only.
        plain = json.loads(run("claims", *typed.split(), "--json").stdout)
        assert {*plain} == {"schema", "seed", "claims"}
    # Words that say too little of what is asked find no question.
    assert asked_about("differential attention lambda") is asked_about("qqq") is None
    assert run("claims", "qqq").stdout.startswith("0 claims")


def test_claims_that_have_only_some_of_the_words_are_no_answer_unsaid() -> None:
    some = "attn-tui: no claim has all of 'condensation zebra'; these have most\n"
    assert run("claims", "condensation", "zebra").stderr.startswith(some)
    assert "have most" not in run("claims", "first token").stderr


def test_a_word_tries_the_best_claim_and_the_text_names_the_others() -> None:
    result = run("claim", "cosine")
    assert result.exit_code == 0
    assert find("L-6").says in " ".join(result.stdout.split())
    assert "others L-7" in " ".join(result.stdout.split())
    (plain,) = json.loads(run("claim", "cosine", "--json").stdout)["claims"]
    assert plain["id"] == "L-6"
    assert "others" not in plain
    (plain,) = json.loads(run("claim", "softmax", "cap", "--json").stdout)["claims"]
    assert plain["id"] == "L-8"


LEADS = {
    "overflow": "L-24", "float32": "L-33", ".float()": "L-33", "fp16": "L-24",
    "cosine": "L-6", "l2norm": "L-6", "QK-norm": "L-6", "softcap": "L-8", "sqrt": "S0-25",
    "square root": "S0-25", "muP": "L-22", "µP": "L-22", "-inf": "L-5", "fully masked": "L-5",
    "all keys masked": "L-5", "NaN": "L-34", "softmax1": "L-19", "zero vector": "L-19",
    "BOS": "L-36", "first token": "L-36", "LayerNorm": "S2-23", "temperature": "L-37",
    "learnable": "L-37", "logit_scale": "L-6", "QK-clip": "L-9", "dilution": "L-16",
    "long context": "L-16", "xavier": "S2-23", "initialization": "L-38", "Adam": "L-21",
    "mscale": "L-23", "d_model": "L-30", "embedding": "L-29", "cross entropy": "L-28",
    "scale after softmax": "L-32", "additive attention": "L-40", "dropout": "L-39", "MQA": "S2-1",
}  # fmt: skip
"""A plain word of those who ask, and the claim that it finds first."""


def test_plain_words_lead_to_the_claims_about_them() -> None:
    assert {word: hits(word)[0].id for word in LEADS} == LEADS


TITLES = {
    "Why does this multiplication of Q and K have a variance of d_k?": "My 2×2 try",
    "why divide by √300, not by 300? Has LayerNorm to do with it?": "Why a square root",
    "why softmax get small gradient when the value is large in paper": "Is softmax's gradient",
    "Why does embedding vector multiplied by a constant": "L-29",
    "doubt about scale in Attention": "I divided by √d_model",
    "Is the scaling position appropriate for the attention score?": "L-32",
    "Error in model, scaling only q matrix not qK.T dot product": "L-24",
    "Why does AttentionBlock perform softmax in float32?": "L-33",
    "softmax of all -inf gives NaN, expected?": "L-34",
    "Initializing attention weights in T5": "L-21",
    "GPT2 always has largest attention on first token?": "L-36",
    "Why scale used in Attention is 8 (while dim_head is 64)?": "L-6",
    "LongRoPE attention scaling": "Why does LongRoPE make",
    "My attention mechanism collapsed and this is what I learned": "My attention collapsed",
    "Per Head Max-Attention-Logits": "How large are my model's",
    "scale = 1 / math.sqrt(math.sqrt(attn_ch))": "L-24",
    "Gemma2: 9B query_pre_attn_scalar = 256 not 224": "What does Gemma's",
    "MLA with cudnn_flash_jax leads to double scaling": "What if the scale is applied twice",
    "rsqrt(dim value) where it is usual to scale by rsqrt(dim key)": "S0-1",
    "support passing attn_scale to sdpa to fix head_dim padding": "My heads of 80",
    "variance of attention output decreases as sequence length increases": "L-44",
}
"""Titles as they were written, and the claim or the question that `claim` shows first."""


def test_a_whole_title_shows_the_claim_or_the_question_that_it_is_about() -> None:
    for title, first in TITLES.items():
        found = asked(title)
        replies = found.claims[0].id if first[1:2] in "-0" else found.entry and found.entry.asks
        assert str(replies).startswith(first), title
        assert found.is_asked or replies == found.claims[0].id


def test_a_question_that_fits_better_stands_for_the_claims_and_names_the_nearest() -> None:
    result = run("claim", "Per Head Max-Attention-Logits")
    assert result.stdout.startswith("asked  How large are my model's attention logits")
    assert "attn-tui heads example --statistic max_logit,qk_clip" in result.stdout
    assert "No claim has all of it; nearest: S2-1" in result.stdout
    # A question that a claim replies to is followed by this claim, and programs get claims alone.
    text = run("claim", "GPT2 always has largest attention on first token?").stdout
    assert text.index("asked  Why do models look") < text.index("“A model looks at its first")
    (plain,) = json.loads(run("claim", "Per Head Max-Attention-Logits", "--json").stdout)["claims"]
    assert plain["id"] == "S2-1"
    # What lacks words of what was typed says so.
    missing = "attn-tui: nothing has all of 'SwiGLU attention bias'; this has most\n"
    assert run("claims", "SwiGLU", "attention", "bias").stderr == missing
    assert run("claims", "forged").stderr == "attn-tui: nothing has 'forged'; this is nearest\n"


def test_a_number_is_named_as_the_scale_of_a_d_k() -> None:
    for command in ("claim", "claims"):
        result = run(command, "0.0884")
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout.startswith("number  0.0884 is 1/√128, by which scores are multiplied")
        assert "attn-tui show 100,120,150 --d-k 128" in result.stdout
    assert run("claim", "0.0884", "--json").exit_code == 2
    assert json.loads(run("claims", "0.0884", "--json").stdout)["claims"] == []
    beside = run("claims", "why is the scale 1/sqrt(40) for MLA?").stdout
    assert "1/sqrt(40) is 0.1581" in beside
    assert "asked  Why does DeepSeek divide by √192" in beside
    # A number alone finds no claims that have a part of it, such as the 1 or "sqrt".
    alone = run("claim", "1/sqrt(128)")
    assert (alone.stderr, alone.stdout.count("attn-tui")) == ("", 1)


def test_a_question_is_shown_even_where_no_claim_has_any_of_the_words() -> None:
    result = run("claim", "DeBERTa")
    assert (result.exit_code, result.stdout[:44]) == (
        0,
        "asked  DeBERTa divides by √(3d): why three?\n",
    )
    assert run("claim", "DeBERTa", "--json").stderr.startswith("attn-tui: ID: none is about")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("claim", "S0-99"), "ID: there is none called 'S0-99'; expected S0-"),
        (("claim", "qqq"), "ID: none is about 'qqq'; expected an id, such as S2-3"),
        (("claim", "S0-14", "--n", "3"), "--n: it plays no part in S0-14; expected seed, d_k"),
        (("claim", "S0-14", "--seed", "-1"), "--seed: '-1' will not do"),
        (("claims", "--seed", "x"), "--seed: 'x' "),
    ],
)
def test_bad_input_is_one_line_and_status_2(arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"attn-tui: {message}")


def test_a_ledger_that_was_stopped_says_how_many_of_it_were_tried() -> None:
    findings = [try_claim(find(each)) for each in ("S0-1", "S0-3")]
    assert total_line(findings, 93, 1.0).startswith("2 of 93 claims, stopped: ")
    assert total_line([], 93, 0.0) == "0 of 93 claims, stopped: none tried; 0.0 s\n"
