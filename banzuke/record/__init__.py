"""The record and its parts. This package does not know what writes or reads records."""
