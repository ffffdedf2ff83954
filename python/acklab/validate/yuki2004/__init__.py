"""What yuki2004 promises: closed forms, the chain beside another simulator, slots, speed, readings."""

from acklab.validate.yuki2004.chain import CHAIN
from acklab.validate.yuki2004.closed import CLOSED
from acklab.validate.yuki2004.machines import DIAGRAMS, SPEED, SWARM
from acklab.validate.yuki2004.readings import READINGS

YUKI2004 = (CLOSED, CHAIN, DIAGRAMS, SWARM, SPEED, READINGS)
