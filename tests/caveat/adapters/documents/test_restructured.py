"""reStructuredText is read whole, and one document leaves nothing to the next."""

from caveat.adapters.documents.restructured import load_restructured

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


def test_a_broken_document_leaves_nothing_to_the_next() -> None:
    before = load_restructured(EVERYTHING).snapshot
    load_restructured(".. default-role:: strong\n\n- `a`\n  .. note::\n\n====\n")
    assert load_restructured(EVERYTHING).snapshot == before


def test_a_line_beyond_the_limit_leaves_the_document_empty() -> None:
    assert not load_restructured("Words.\n\n" + "a" * 1_000_001).snapshot.text
