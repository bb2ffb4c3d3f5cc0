"""Charts: one description each, drawn in the page by Vega and written as SVG and PDF for papers."""
