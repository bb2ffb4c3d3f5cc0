"""Environments of a job: native, isolated processors, a container, a virtual machine, or another kernel."""
