"""Building deep research tasks: key points of new questions, drawn from documents by a model."""
