"""Compares cases side by side: which ones match, what differs, and whether their launches differ significantly."""
