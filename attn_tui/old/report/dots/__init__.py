"""What the screen of before says of Dot products: headline and tables."""
