"""Tables, charts, HTML."""

from banzuke.report.model import Evaluation
from banzuke.report.write import write

__all__ = ["Evaluation", "write"]
