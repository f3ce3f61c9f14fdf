"""Generated webs written out anew by a chat model, each sentence checked against the facts that it tells."""
