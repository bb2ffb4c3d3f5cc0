"""A Linux guest around a command, booted by QEMU: `python -m banzuke.environment.guest`."""
