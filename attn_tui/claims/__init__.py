"""The ledger of claims about dividing by √d_k: each stated, and reproduced or refuted."""
