"""This installation as one archive, which runs wherever it is unpacked."""
