"""What a report begins with: how good the machine is, what holds it back, where it stands, and what it is."""
