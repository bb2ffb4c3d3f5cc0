"""Cases side by side: which ones match, what differs, and whether their launches tell them apart."""
