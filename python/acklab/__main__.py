"""`python -m acklab` is the command line."""

from acklab.cli import main

main()
