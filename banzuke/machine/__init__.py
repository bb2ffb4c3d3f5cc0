"""What this machine is: discovery, theoretical peaks, its description."""
