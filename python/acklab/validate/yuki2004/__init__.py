"""What yuki2004 promises: closed forms, a chain seen by two simulators, slots, speed, readings."""

from acklab.validate.yuki2004.chain import CHAIN
from acklab.validate.yuki2004.closed import CLOSED
from acklab.validate.yuki2004.machines import DIAGRAMS, SPEED, SWARM
from acklab.validate.yuki2004.meshes import MESHES
from acklab.validate.yuki2004.readings import READINGS

YUKI2004 = (CLOSED, CHAIN, DIAGRAMS, SWARM, SPEED, READINGS, MESHES)
