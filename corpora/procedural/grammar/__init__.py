"""The words of the procedural web: relations with their phrasings, values, kinds, and voices of sites, as text."""
