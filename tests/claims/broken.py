"""For every claim that is tried, one way to break what it rests on."""

from tests.claims import (
    test_assumptions,
    test_crossover,
    test_heads,
    test_laws,
    test_layers,
    test_length,
    test_listings,
    test_models,
    test_moments,
    test_precision,
    test_rules,
    test_saturation,
    test_softmax,
)

BROKEN = {
    **test_moments.BROKEN,
    **test_assumptions.BROKEN,
    **test_laws.BROKEN,
    **test_softmax.BROKEN,
    **test_crossover.BROKEN,
    **test_precision.BROKEN,
    **test_rules.BROKEN,
    **test_length.BROKEN,
    **test_heads.BROKEN,
    **test_layers.BROKEN,
    **test_models.BROKEN,
    **test_listings.BROKEN,
    **test_saturation.BROKEN,
}
