"""The record, the store, queries, statistics."""
