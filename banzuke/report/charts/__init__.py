"""Charts: one description for each, which Vega draws in the page and which is written as SVG and PDF for papers."""
