"""Style and building blocks of all charts."""
