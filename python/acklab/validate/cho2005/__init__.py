"""What cho2005 promises: Cellular IP and motion by hand, the table of variants, the claims."""

from acklab.validate.cho2005.claims import CLAIMS, FULL
from acklab.validate.cho2005.machines import AGENT, BELOW, CASES, INPUT, MOTION, SOFT

CHO2005 = (MOTION, AGENT, CASES, SOFT, BELOW, INPUT, CLAIMS, FULL)
