"""Predicts how much noise slows down applications whose ranks wait for each other, which grows with the
number of ranks.
"""
