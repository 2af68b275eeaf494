"""The reports of Claims, as text, JSON and CSV."""

import json
from dataclasses import replace

import pytest

from attn_tui.claims.claim import try_claim
from attn_tui.claims.ledger import find, ledger, unchanged_finding
from attn_tui.claims.report import report, summary_line
from attn_tui.report import forms
from attn_tui.report.rows import cells
from attn_tui.report.text import text


@pytest.mark.slow
def test_every_claim_fits_into_80_columns_as_text() -> None:
    for name in ledger():
        finding = unchanged_finding(name)
        written = "".join(text(report([(finding, 0.0)], 1)))
        assert max(map(cells, written.splitlines())) <= 80
        joined = " ".join(written.split())
        assert " ".join(finding.claim.source.split()) in joined
        assert finding.right in joined
        for case in finding.cases:
            assert case.where in joined
            assert all(" ".join(evidence.name.split()) in joined for evidence in case.evidence)
        if finding.cases:
            # Who reads a pipe reads the whole name.
            uncut = summary_line(finding, 0.1, None)
            assert any(f"{case.where}: {case.evidence[0].name} " in uncut for case in finding.cases)
        line = summary_line(finding, 0.1)
        assert cells(line.removesuffix("\n")) <= 80
        assert line.endswith(" s\n")


@pytest.mark.slow
def test_numbers_of_all_cases_stand_in_line() -> None:
    written = "".join(text(report([(unchanged_finding("S0-2"), 0.0)], 1)))
    ends = {len(line) for line in written.splitlines() if " ± " in line and "(" not in line}
    assert len(ends) == 1


def test_json_has_null_where_a_premise_is_not_met() -> None:
    claim = find("L-10")
    finding = try_claim(claim, replace(claim.trial, d_k=8))
    (plain,) = json.loads("".join(forms.json(report([(finding, 0.0)], 1))))["claims"]
    assert plain["verdict"] == "inapplicable"
    assert [case["holds"] for case in plain["evidence"]] == [None, None, None, False]
    assert plain["command"].startswith("attn-tui sweep --n 64 --d-k 1:8192@8 ")
    assert "does not apply here" in "".join(text(report([(finding, 0.0)], 1)))


def test_the_table_of_models_stands_where_it_decides() -> None:
    written = "".join(text(report([(unchanged_finding("S2-21"), 0.0)], 1)))
    assert "Granite-4.1-3b" in written
    assert "largest divisor in use" in written
