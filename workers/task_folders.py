"""The folders that tasks name: which of them a worker opens, and how it comes by those of the page.

Looked at before an activity begins, whoever gave the task to the worker.
"""
