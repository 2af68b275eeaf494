"""Claims in the command palette, found by their words."""

from collections.abc import Iterator

from attn_tui.claims.ledger import ledger
from attn_tui.claims.settings import Settings
from attn_tui.compute.field import fields_of
from attn_tui.ui.palette import ChoicesProvider
from attn_tui.ui.setting import of_field


class ClaimsProvider(ChoicesProvider):
    """Finds claims."""

    setting = of_field(fields_of(Settings)["claim"])

    def _choices(self) -> Iterator[tuple[str, str, str]]:
        for claim in ledger().values():
            yield claim.id, f"{claim.id} {claim.says}", claim.right
