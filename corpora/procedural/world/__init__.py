"""What there is in a world, and what is true of it."""
