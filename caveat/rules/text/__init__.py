"""Text as rules read it: sentences, prose, words, numbers, and how sentences differ."""
