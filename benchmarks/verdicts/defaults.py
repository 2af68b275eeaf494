"""Writes the sizes that classes of transformers have by default, which configurations leave out.

    python -m benchmarks.verdicts.defaults

A configuration in another one, such as the text of a model of images, has only the fields in which
it differs from its class. What is written is ``attn_tui/files/models/defaults.json``.
"""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from attn_tui.files.models.architectures import ARCHITECTURES, Architecture
from attn_tui.files.models.fields import HEADS, LAYERS, WIDTHS

_MORE = (
    "head_dim", "d_kv", "attention_head_dim", "decoder_layers", "decoder_attention_heads",
    "num_decoder_layers", "qk_nope_head_dim", "qk_rope_head_dim", "kv_lora_rank",
)  # fmt: skip


def sizes(kind: str, architecture: Architecture) -> dict[str, Any]:
    """Return the sizes of a class by name, as its configuration has them by default."""
    from transformers import CONFIG_MAPPING

    if kind not in CONFIG_MAPPING:
        return {}
    # What the class computes from others, such as a head_dim of None, is no default.
    plain = {each.name: each.default for each in fields(CONFIG_MAPPING[kind])}
    named = (*architecture.heads, *architecture.width, *architecture.length)
    names = (*HEADS, *LAYERS, *WIDTHS, *_MORE, *named)
    return {name: plain[name] for name in sorted({*names}) if type(plain.get(name)) is int}


def main() -> None:
    """Write the file."""
    found = {kind: sizes(kind, architecture) for kind, architecture in ARCHITECTURES.items()}
    lines = [
        f"{json.dumps(kind)}: {json.dumps(plain)}" for kind, plain in sorted(found.items()) if plain
    ]
    path = Path("attn_tui/files/models/defaults.json")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
