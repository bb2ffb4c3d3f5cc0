"""A page on which predictions follow sliders, from tables that the models filled in beforehand."""
