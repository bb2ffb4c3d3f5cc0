"""A page whose predictions follow sliders, by tables that the models computed beforehand."""
