"""What the two kinds of workflow are called on a server.

Their classes are imported only by what talks to one of them: lists come half a second sooner.
"""

RESEARCH = "Research"
ARBITRATION = "Arbitration"
