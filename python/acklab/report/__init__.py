"""Reports: the same results for a terminal, for a browser and for other programs."""
