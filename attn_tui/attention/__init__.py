"""The instrument Attention: every row of a head, unscaled beside scaled."""
