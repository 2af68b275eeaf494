"""For every claim that is tried, one way to break what it rests on."""

from tests.claims import (
    test_assumptions,
    test_heads,
    test_laws,
    test_layers,
    test_length,
    test_models,
    test_moments,
    test_rounding,
    test_rows,
    test_rules,
    test_saturated,
    test_typical,
    test_worked,
)

BROKEN = {
    **test_moments.BROKEN,
    **test_assumptions.BROKEN,
    **test_laws.BROKEN,
    **test_rows.BROKEN,
    **test_typical.BROKEN,
    **test_rounding.BROKEN,
    **test_rules.BROKEN,
    **test_length.BROKEN,
    **test_heads.BROKEN,
    **test_layers.BROKEN,
    **test_models.BROKEN,
    **test_worked.BROKEN,
    **test_saturated.BROKEN,
}
