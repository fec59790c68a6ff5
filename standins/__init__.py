"""What stands in for the world: scripted ports, a model that copies, a Messages API over HTTP.

Tests and benchmarks both run the product against it, and neither imports the other.
"""
