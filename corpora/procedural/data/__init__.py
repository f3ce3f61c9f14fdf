"""The frozen lexicon and the programs that made it from WordNet 3.0 (see LICENSE-wordnet.txt)."""
