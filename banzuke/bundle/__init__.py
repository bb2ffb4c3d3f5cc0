"""Packs this installation into one archive, which runs wherever it is unpacked."""
