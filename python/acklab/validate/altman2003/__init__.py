"""altman2003: the whole paper, its claims and pictures; its protocols beside ns-2."""

from acklab.validate.altman2003.paper import CLAIMS, PICTURES, REPRODUCE_FULL
from acklab.validate.altman2003.references import DSDV, DSR, SHORT
from acklab.validate.altman2003.routing import ROUTING

ALTMAN2003 = (CLAIMS, PICTURES, DSR, DSDV, SHORT, ROUTING, REPRODUCE_FULL)
