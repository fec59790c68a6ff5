"""Evidence: what claims stand in what was read, and which readings are of one text."""
