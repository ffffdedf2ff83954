"""Laws: closed forms and published models that the simulator must obey.

Nothing here imports the simulator, and nothing in the simulator imports this: a law that shares
code with what it checks proves nothing. Each module is also a command that prints its table:

    python -m acklab.validate.laws.throughput
    python -m acklab.validate.laws.bianchi
    python -m acklab.validate.laws.slots
"""
