"""reStructuredText is read whole, and one document leaves nothing to the next."""

from functools import partial

import pytest

from caveat.adapters.documents.loaded import DocumentFormat, Unreadable
from caveat.adapters.documents.reader import read

load_restructured = partial(read, DocumentFormat.RESTRUCTURED)

DOCUMENT = b"""
Title
=====

Words, `role`, |sign|, link_, gone_, anonymous__, [1]_ [#]_ [#named]_ [CIT]_ [#lost]_.

.. _link: https://example.org
.. __: https://example.com
.. |sign| replace:: the *sign*
.. [1] One.
.. [#] Two.
.. [#named] Three.
.. [CIT] Cited.
.. default-role:: emphasis
.. role:: custom
.. class:: special

- one

    1. first
       a) letter

>>> doctest
1

.. epigraph::

   Said `so`.

Wrong
~~~~~
too short
--
   Unexpected indentation.

.. |again| replace:: |again|

|again| *unclosed
"""
"""Everything that docutils keeps outside of a document, right and wrong."""


def test_a_broken_document_leaves_nothing_to_the_next() -> None:
    before = load_restructured(DOCUMENT).snapshot
    load_restructured(b".. default-role:: strong\n\n- `a`\n  .. note::\n\n====\n")
    assert load_restructured(DOCUMENT).snapshot == before


def test_a_line_beyond_the_limit_leaves_the_document_empty() -> None:
    with pytest.raises(Unreadable, match="holds no text"):
        load_restructured(b"Words.\n\n" + b"a" * 1_000_001)
