"""Partials of a shard as JSON holds them, and the shards of a question put together again."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from attn_tui.captures.capture import HeadId
from attn_tui.captures.disk import place_of
from attn_tui.captures.fingerprint import Fingerprint
from attn_tui.compute.errors import InputError
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.partial import Partial
from attn_tui.engine.found import FoundMask
from attn_tui.engine.plan import Block, Mark, Plan, Question
from attn_tui.engine.running import Failed
from attn_tui.engine.survey import Survey


def to_plain(found: Survey) -> dict[str, Any]:
    """Return what a shard knows as plain values; floats may be infinite."""
    plan = found.plan
    return {
        "capture": {
            "paths": [*plan.capture.paths],
            "digest": plan.capture.fingerprint.digest,
            "files": plan.capture.fingerprint.plain(),
            "stated": [*plan.capture.stated],
        },
        "question": plan.question.as_plain(),
        "masks": [{"layer": layer, **asdict(mask)} for layer, mask in plan.masks.items()],
        "heads": [
            {**asdict(head), "blocks": len([*blocks])}
            for head, blocks in groupby(plan.blocks, lambda block: block.head)
        ],
        "machines": [dict(each) for each in sorted(found.machines)],
        "failed": [{"block": each.block.index, "reason": each.reason} for each in found.failed],
        "elapsed_s": found.elapsed,
        "partials": [
            {"block": index, **partial.to_json()}
            for index, partial in sorted(found.partials.items())
        ],
    }


def merged(shards: Sequence[Mapping[str, Any]]) -> Survey:
    """Return what shards know together, from what `to_plain` made plain.

    Raises:
        InputError: With field ``"merge"``, if they are not of one question about one version of
            a capture.
        KeyError: If a field is missing; TypeError and ValueError, if one is something else.
    """
    first = shards[0]
    for shard in shards[1:]:
        for name, what in (("digest", "another capture"), ("question", "another question")):
            one, other = (
                each["capture"]["digest"] if name == "digest" else (each["question"], each["heads"])
                for each in (first, shard)
            )
            if one != other:
                raise InputError("merge", f"one is of {what}", "shards of one question")
        _check_version(first["capture"]["files"], shard["capture"]["files"])
    parts = [{each["block"] for each in shard["partials"]} for shard in shards]
    if any(part and part in parts[:at] for at, part in enumerate(parts)):
        raise InputError("merge", "one part is there twice", "each shard once")
    capture = first["capture"]
    masks = {
        each["layer"]: FoundMask(
            HeadMask(**each["mask"]),
            **{name: value for name, value in each.items() if name not in ("layer", "mask")},
        )
        for shard in shards
        for each in shard["masks"]
    }
    heads = [
        (HeadId(each["batch"], each["layer"], each["head"]), number == 0)
        for each in first["heads"]
        for number in range(each["blocks"])
    ]
    blocks = tuple(
        Block(index, head, None, is_first, 1.0) for index, (head, is_first) in enumerate(heads)
    )
    mark = Mark(
        tuple(capture["paths"]),
        Fingerprint.from_plain(capture["files"]),
        stated=tuple(capture["stated"]),
    )
    plan = Plan(mark, Question.from_plain(first["question"]), masks, blocks)
    partials = {
        each["block"]: Partial.from_json({k: v for k, v in each.items() if k != "block"})
        for shard in shards
        for each in shard["partials"]
    }
    failed = {
        each["block"]: Failed(blocks[each["block"]], each["reason"])
        for shard in shards
        for each in shard["failed"]
        if each["block"] not in partials
    }
    machines = {tuple(each.items()) for shard in shards for each in shard["machines"]}
    return Survey(
        plan,
        partials,
        tuple(failed.values()),
        machines=frozenset(machines),
        blocks=blocks,
        elapsed=sum(float(shard["elapsed_s"]) for shard in shards),
    )


def _check_version(files: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]]) -> None:
    """Raise InputError if a file was written between two shards; its header is the same."""
    for one, other in zip(files, others, strict=True):
        if one["modified"] != other["modified"]:
            times = [_time(each["modified"]) for each in (one, other)]
            problem = f"it was written at {times[0]} for one shard, at {times[1]} for another"
            expected = "shards of one version of it; copies keep its time with cp -p or rsync -t"
            raise InputError("merge", problem, expected, place_of(one["path"]))


def _time(nanoseconds: int) -> str:
    at = datetime.fromtimestamp(nanoseconds / 1e9, UTC)
    return f"{at:%Y-%m-%d %H:%M:%S.%f} UTC"
