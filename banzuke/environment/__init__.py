"""The environments in which a job runs: natively, on isolated processors, in a container, in a virtual machine, or on
another kernel.
"""
