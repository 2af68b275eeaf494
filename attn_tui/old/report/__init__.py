"""What only the screens of before say."""
