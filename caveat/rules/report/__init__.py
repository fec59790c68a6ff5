"""The report as code makes it: assembled, appraised, and open about what is missing."""
