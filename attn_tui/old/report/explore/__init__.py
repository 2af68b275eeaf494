"""What the screen of before says of Explore: headline, formula, columns of its tables."""
