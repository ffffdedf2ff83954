"""What vaidya1999 promises: means beside ns-2, link-level retransmission, Snoop, TCP's laws."""

from acklab.validate.vaidya1999.clean import CLEAN
from acklab.validate.vaidya1999.machines import ARQ, SNOOP
from acklab.validate.vaidya1999.means import MEANS

VAIDYA1999 = (MEANS, CLEAN, ARQ, SNOOP)
