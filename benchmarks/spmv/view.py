"""How the records of SpMV are judged and shown, beside their figures."""

from banzuke.views.collection import ProblemFamilies

VIEWS = (ProblemFamilies(),)
