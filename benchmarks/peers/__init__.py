"""The research DAG by other means: each in an environment of its own, made when it is measured."""
