"""Servers: a web as the websites that it holds, and a corpus behind the retrieval protocols of trainers."""

from webenv.errors import MissingExtra

try:
    import msgpack  # noqa: F401
    import starlette  # noqa: F401
    import uvicorn  # noqa: F401
except ImportError as error:
    raise MissingExtra(error.name or "starlette", "serve", "webenv serve") from error

from webenv.serving.retrieval import retrieval_app
from webenv.serving.server import Served, bind, run, serving
from webenv.serving.websites import website_app

__all__ = ["Served", "bind", "retrieval_app", "run", "serving", "website_app"]
