import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive, Scope, Send

from supcon.serving.server.request_limits import RequestLimits


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with the number of bytes; refuses like FastAPI."""
    size, more, status = 0, True, 200
    try:
        while more:
            message = await receive()
            size, more = size + len(message["body"]), message["more_body"]
    except HTTPException as error:
        status = error.status_code
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": json.dumps(size).encode()})


def ask(parts: Sequence[bytes], length: int | None, *, stalls: bool = False, app: Any = echo) -> tuple[int, Any]:
    """Status and body of the answer to a body that comes in parts, 100 bytes and 0.1 seconds at most."""
    sent: list[Message] = []
    waiting = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
    waiting.append({"type": "http.request", "body": b"", "more_body": False})

    async def receive() -> Message:
        if stalls and len(waiting) == 1:
            await asyncio.sleep(60)
        return waiting.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [] if length is None else [(b"content-length", str(length).encode())]
    scope = {"type": "http", "headers": headers}
    asyncio.run(RequestLimits(app, largest=100, seconds=0.1)(scope, receive, send))
    return sent[0]["status"], json.loads(sent[1]["body"])


def test_what_fits_passes() -> None:
    assert ask([b"x" * 60, b"x" * 40], 100) == (200, 100)
    assert ask([b"x" * 100], None) == (200, 100)


def test_what_is_announced_as_too_large_is_refused_and_read_so_that_the_client_sees_why() -> None:
    status, body = ask([b"x" * 60, b"x" * 60], 120)
    assert (status, body["detail"]) == (413, "The request has more than 0.0001 MB; send fewer or smaller images.")


def test_what_turns_out_too_large_is_refused() -> None:
    assert ask([b"x" * 60, b"x" * 60], None)[0] == 413


def test_a_client_that_stalls_is_refused() -> None:
    assert ask([b"x"], 2, stalls=True) == (408, {"detail": "The request took longer than 0.1 seconds to arrive."})


def test_an_answer_that_takes_too_long_is_refused() -> None:
    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["more_body"]:
            pass
        await asyncio.sleep(60)

    status, body = ask([b"x"], 1, app=slow)
    assert (status, body["detail"]) == (504, "The answer took longer than 0.1 seconds; try again later.")


def test_an_answer_that_has_begun_is_not_answered_twice() -> None:
    async def half(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await asyncio.sleep(60)

    with pytest.raises(IndexError):  # there is no second message
        ask([], 0, app=half)


def test_other_protocols_pass() -> None:
    seen = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope["type"])

    asyncio.run(RequestLimits(app, largest=1, seconds=1)({"type": "lifespan"}, None, None))  # type: ignore[arg-type]
    assert seen == ["lifespan"]
