"""The audit of a report: everything that code checks on it, and the seal it keeps."""
