"""Pages: what each states, and how it is written."""
