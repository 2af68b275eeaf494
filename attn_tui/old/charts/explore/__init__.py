"""The charts of Explore: weights, Jacobian, over d_k, precision, attention."""
