"""altman2003: the whole paper, its claims and its pictures."""

from acklab.validate.altman2003.paper import CLAIMS, PICTURES, REPRODUCE_FULL

ALTMAN2003 = (CLAIMS, PICTURES, REPRODUCE_FULL)
