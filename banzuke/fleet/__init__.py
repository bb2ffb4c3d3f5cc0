"""Many nodes measured alike: which are slow, hung or dead, and why."""
