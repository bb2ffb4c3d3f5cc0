"""Strategies for records, plans and machines of all kinds that their models allow, and for damaged files of them."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, get_args, get_origin

