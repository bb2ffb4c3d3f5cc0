"""Writes a site as a file that people edit; `published.read` reads it."""

import tomli_w

from banzuke.machine.site import Site

_HEADER = """\
# What `banzuke machine --toml` knows of this site: hardware, and not what one job is given of it.
#
#   banzuke machine --file SITE.toml     shows what this file says
#   banzuke compare RUN SITE.toml        sets a run beside the figures in it ([[figure]], [reports])
#
# Edit it: add partitions, areas and links, correct what is wrong, leave out what is not known. Numbers are in SI units:
# bytes, Hz, flop/s, B/s. [sources] says where values come from, by path: how = "measured", "read", "printed" or
# "assumed"; what has no entry has that of the longest path above it.

"""


def toml(site: Site) -> str:
    """Return the site as TOML, without unknown values and defaults; reading it gives an equal site."""
    return _HEADER + tomli_w.dumps(site.model_dump(mode="json", exclude_defaults=True))
