"""The promises of campaigns: nothing lost, all cores used, little overhead, policies in Python."""

from acklab.validate.campaigns.cores import CORES
from acklab.validate.campaigns.cost import OVERHEAD, POLICY
from acklab.validate.campaigns.scale import SCALE
from acklab.validate.campaigns.speed import SPEED
from acklab.validate.campaigns.survival import CLUSTER, KILLS

CAMPAIGNS = (SPEED, SCALE, CORES, OVERHEAD, KILLS, CLUSTER, POLICY)
