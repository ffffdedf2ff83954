"""elrakabawy2005's promises: Table 2, paced UDP, the chain's capacity, the paper reproduced."""

from acklab.validate.elrakabawy2005.capacity import CAPACITY
from acklab.validate.elrakabawy2005.chains import CHAINS
from acklab.validate.elrakabawy2005.claims import CLAIMS, FULL
from acklab.validate.elrakabawy2005.paced import CURVE, PACED
from acklab.validate.elrakabawy2005.speed import SPEED
from acklab.validate.elrakabawy2005.tables import TABLE2

ELRAKABAWY2005 = (TABLE2, PACED, CURVE, CHAINS, CAPACITY, SPEED, CLAIMS, FULL)
