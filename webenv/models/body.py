"""Body: an answer's body, read as it comes, and no further than a limit."""

from __future__ import annotations

from typing import Any

LONGEST_BODY = 20_000_000
"""The most bytes of an answer that are read, after decompression."""

_OF_THE_WIRE = ("content-encoding", "content-length", "transfer-encoding")


class BodyTooLong(Exception):
    """An answer has more bytes than are read."""


def capped_client(client: Any, response: Any) -> Any:
    """An HTTP client's class that reads no answer, an error included, beyond :data:`LONGEST_BODY`.

    Args:
        client: the class of the HTTP library's client.
        response: the class of its response.

    Returns:
        A class whose ``send`` raises :class:`BodyTooLong` and ends the connection.
    """

    class CappedClient(client):  # type: ignore[misc]
        async def send(self, request: Any, *, stream: bool = False, **settings: Any) -> Any:
            came = await super().send(request, stream=True, **settings)
            if stream:
                return came
            body = bytearray()
            try:
                async for part in came.aiter_bytes():
                    body += part
                    if len(body) > LONGEST_BODY:
                        raise BodyTooLong
            finally:
                await came.aclose()
            headers = [pair for pair in came.headers.multi_items() if pair[0].lower() not in _OF_THE_WIRE]
            return response(came.status_code, headers=headers, content=bytes(body), request=came.request)

    return CappedClient
