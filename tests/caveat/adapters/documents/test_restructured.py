"""The tree of reStructuredText is the one that docutils makes, in less time."""

import pytest
from docutils import nodes
from docutils.core import publish_doctree

from caveat.adapters.documents.restructured import load_restructured, parsed

EVERYTHING = """
=====
Title
=====

:Author: Somebody
:Date: 2024-05-06

Part
====

Words, *emphasis*, **strong**, ``literal``, `role`, :sub:`2`, |sign|, link_, `two words`_, gone_,
anonymous__ and `elsewhere <https://example.org>`_, [1]_ [#]_ [#named]_ [*]_ [CIT]_ [#lost]_::

   a literal block

> quoted
> literal

.. _link: https://example.org
.. _two words: link_
.. __: https://example.com
.. |sign| replace:: the *sign*
.. [1] One.
.. [#] Two.
.. [#named] Three.
.. [*] Four.
.. [CIT] Cited.

.. _propagated:

Deeper
------

- one

  - nested
  - again

    1. first
    #. second

       a) letter

* another list

term : classifier
   Its definition.

   other
      Nested definition.

:field: its body
   goes on
-v, --verbose  an option
/V             another

| a line
|   indented

>>> doctest
1

   A block quote.

   -- Whom

+------+------+
| head | more |
+======+======+
| a    | - b  |
+------+------+

===== =====
one   two
===== =====
a     b
      c
===== =====

.. note:: A remark
   with *more*.

.. figure:: picture.png
   :alt: words

   A caption.

   A legend.

.. csv-table:: Name
   :header: a, b

   1, 2

.. contents::
.. default-role:: emphasis
.. role:: custom
.. class:: special

.. epigraph::

   Said `so`.

   -- Who

.. a comment

Deeper
------

Again, see Part_ and Deeper_.

----

Wrong
~~~~~
too short
--
Inconsistent
============
   Unexpected indentation.
 Again.

.. |again| replace:: |again|

|again| *unclosed

Back
====

At the end.
""".removeprefix("\n")

SETTINGS = {
    "_disable_config": True,
    "file_insertion_enabled": False,
    "report_level": 5,
    "halt_level": 5,
    "warning_stream": False,
    "smart_quotes": False,
    "docinfo_xform": False,
    "doctitle_xform": False,
}


def kinds_and_words(tree: nodes.Node) -> list[tuple[str, str]]:
    """Return every node but docutils' messages, which nobody is shown."""
    if isinstance(tree, nodes.system_message):
        return []
    is_text = isinstance(tree, nodes.Text)
    name = "document" if isinstance(tree, nodes.document) else type(tree).__name__
    below = [pair for child in tree.children for pair in kinds_and_words(child)]
    return [(name, str(tree) if is_text else ""), *below]


@pytest.mark.parametrize("times", [1, 2])
def test_the_tree_is_that_of_docutils(times: int) -> None:
    for _ in range(times):
        tree = parsed(EVERYTHING, SETTINGS)
    assert kinds_and_words(tree) == kinds_and_words(
        publish_doctree(EVERYTHING, settings_overrides=SETTINGS)
    )


def test_a_broken_document_leaves_nothing_to_the_next() -> None:
    before = load_restructured(EVERYTHING).snapshot
    load_restructured(".. default-role:: strong\n\n- `a`\n  .. note::\n\n====\n")
    assert load_restructured(EVERYTHING).snapshot == before


def test_a_line_beyond_the_limit_leaves_the_document_empty() -> None:
    assert not load_restructured("Words.\n\n" + "a" * 1_000_001).snapshot.text
