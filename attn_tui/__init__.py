"""attn-tui: softmax(QKᵀ/√d_k)V in a terminal, and as a library: the names of `attn_tui.library`.

They are imported when one is asked for; importing this alone brings neither them nor NumPy.
"""

__version__ = "0.1.0"

# Nothing is imported here, `typing` neither: Ctrl+C is heeded only from `cli` on.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from attn_tui.library import *  # noqa: F403
    from attn_tui.library import __all__ as __all__
else:

    def __getattr__(name: str) -> object:
        from importlib import import_module
        from importlib.util import find_spec

        # A module of the package is looked for here before it is imported; that must stay cheap.
        if name == "__all__" or not (name.startswith("_") or find_spec(f"{__name__}.{name}")):
            library = import_module("attn_tui.library")
            if name in ("__all__", *library.__all__):
                return getattr(library, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__getattr__("__all__")})
