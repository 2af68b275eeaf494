"""Run the doctor's command and read its output; the default model of these tests."""

import json
from typing import Any

from click.testing import CliRunner, Result

from attn_tui.commands.program import program
from attn_tui.compute.fit.simulate import Arithmetic

LLAMA = {
    "model_type": "llama",
    "num_attention_heads": 2,
    "hidden_size": 32,
    "head_dim": 16,
    "num_hidden_layers": 2,
}
HEALTHY = Arithmetic(0.25, path="flash")


def call(*arguments: str) -> Result:
    return CliRunner().invoke(program, arguments)


def run(*arguments: str) -> Result:
    return call("doctor", *arguments)


def printed(result: Result) -> dict[str, Any]:
    def refuse(token: str) -> None:
        raise AssertionError(token)

    plain: dict[str, Any] = json.loads(result.stdout, parse_constant=refuse)
    return plain
