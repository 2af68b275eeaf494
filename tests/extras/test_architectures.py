"""What we know of classes, beside the classes of the installed transformers."""

from typing import Any

import pytest

from attn_tui.files.models.architectures import ARCHITECTURES
from attn_tui.files.models.promise import Expectation
from attn_tui.files.models.transformers import expectation
from tests.extras.recipes import needed

transformers = needed("transformers")
pytestmark = pytest.mark.filterwarnings("ignore")

LAYERS = 13
TYPES = ("layer_types", "layers_block_type")
LISTED = sorted(kind for kind, each in ARCHITECTURES.items() if each.windows is not None)


@pytest.mark.parametrize("kind", LISTED)
def test_layers_have_the_types_that_their_class_gives_them(kind: str) -> None:
    """Configurations on the hub are older than layer_types, which the class then makes up."""
    if kind not in transformers.CONFIG_MAPPING:
        pytest.skip("its code is not part of transformers")
    config = plain(kind)
    bare = {name: value for name, value in config.items() if name not in TYPES}
    listed, unlisted = (expectation(each, "config.json") for each in (config, bare))
    assert masks(unlisted) == masks(listed)


def plain(kind: str) -> dict[str, Any]:
    config_class = transformers.CONFIG_MAPPING[kind]
    try:
        config = config_class(num_hidden_layers=LAYERS)
    except Exception:
        # Some are of one size.
        config = config_class()
    fields: dict[str, Any] = config.to_dict()
    return fields


def masks(expected: Expectation) -> list[Any]:
    promises = [expected.of(layer, 1) for layer in range(LAYERS)]
    return [(each.mask, each.window, each.chunk, each.mask_varies) for each in promises]
