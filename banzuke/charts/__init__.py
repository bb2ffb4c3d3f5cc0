"""What all charts have in common."""
