"""Commands only: parse, call, print."""
