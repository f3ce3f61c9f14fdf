"""The languages that a web can be written in: names, words, and ways to say facts."""
