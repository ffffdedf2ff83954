"""What vaidya1999 promises: means beside ns-2, the link, Snoop, TCP's laws, claims, speed."""

from acklab.validate.vaidya1999.claims import CLAIMS
from acklab.validate.vaidya1999.clean import CLEAN
from acklab.validate.vaidya1999.knee import KNEE
from acklab.validate.vaidya1999.machines import ARQ, SNOOP
from acklab.validate.vaidya1999.means import MEANS
from acklab.validate.vaidya1999.quick import QUICK
from acklab.validate.vaidya1999.random_loss import RANDOM_LOSS
from acklab.validate.vaidya1999.speed import SPEED

VAIDYA1999 = (MEANS, CLEAN, RANDOM_LOSS, KNEE, ARQ, SNOOP, CLAIMS, QUICK, SPEED)
