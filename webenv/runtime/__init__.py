"""Plumbing that knows nothing of search: processes, an event loop in a thread, files, specs, plots, texts."""
