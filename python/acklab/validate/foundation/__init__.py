"""The foundation's promises: two figures, laws, TCP scripts, determinism, speed, manners."""

from acklab.validate.foundation.figures import COUNTS, FIGURE2, TABLE1
from acklab.validate.foundation.laws import CELL, ONE_HOP
from acklab.validate.foundation.machine import DETERMINISM, FATES, SCRIPTS
from acklab.validate.foundation.manners import BAD_INPUT, FIRST_FIGURE, SMALLEST
from acklab.validate.foundation.peers import SPEED

FOUNDATION = (
    TABLE1,
    FIGURE2,
    COUNTS,
    ONE_HOP,
    CELL,
    SCRIPTS,
    FATES,
    DETERMINISM,
    SPEED,
    FIRST_FIGURE,
    SMALLEST,
    BAD_INPUT,
)
