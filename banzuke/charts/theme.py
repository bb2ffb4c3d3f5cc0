"""Colours and fonts of a page, as CSS variables."""

from banzuke.charts.style import DARK, JAPANESE, LIGHT

_SERIF = "Charter, 'Bitstream Charter', 'Iowan Old Style', Palatino, Cambria, Georgia, 'Noto Serif', serif"
_SANS = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, 'Noto Sans', sans-serif"
_MONO = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def theme_css() -> str:
    """Return CSS variables: light by default and on paper; dark if the system or the toggle asks for it."""
    fonts = {"serif": _SERIF, "sans": _SANS, "mono": _MONO}
    light, dark = _variables(LIGHT | fonts), _variables(DARK)
    japanese = _variables({name: _with_japanese(_MONO if name == "mono" else _SANS) for name in fonts})
    return (
        f":root {{ {light} }}\n"
        f":root:lang(ja) {{ {japanese} }}\n"
        f'@media screen {{ :root[data-theme="dark"] {{ {dark} }} }}\n'
        f"@media screen and (prefers-color-scheme: dark) {{ "
        f':root:not([data-theme="light"]) {{ color-scheme: dark; {dark} }} }}'
    )


def _with_japanese(fonts: str) -> str:
    """Insert Japanese fonts before the generic one, whose glyphs may be the Chinese variants."""
    named, _, generic = fonts.rpartition(", ")
    return f"{named}, {JAPANESE}, {generic}"


def _variables(values: dict[str, str]) -> str:
    return " ".join(f"--{name}: {value};" for name, value in values.items())
