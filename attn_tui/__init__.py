"""attn-tui: softmax(QKᵀ/√d_k)V in a terminal. Only the version lives here."""

__version__ = "0.1.0"
