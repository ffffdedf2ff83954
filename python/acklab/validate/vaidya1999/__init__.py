"""What vaidya1999 promises: means beside ns-2, link-level retransmission, Snoop, TCP's laws."""

from acklab.validate.vaidya1999.clean import CLEAN
from acklab.validate.vaidya1999.knee import KNEE
from acklab.validate.vaidya1999.machines import ARQ, SNOOP
from acklab.validate.vaidya1999.means import MEANS
from acklab.validate.vaidya1999.random_loss import RANDOM_LOSS

VAIDYA1999 = (MEANS, CLEAN, RANDOM_LOSS, KNEE, ARQ, SNOOP)
