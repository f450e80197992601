"""The server as a process of its own, over sockets."""

import io
import select
import signal
import socket
import struct
import time
import zlib
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import supcon
from references.http_requests import answer, get, post, read_answer
from references.refused_command import refused_command

StartServer = Callable[..., Any]
Png = Callable[..., bytes]


@pytest.fixture(scope="module")
def server(start_server: StartServer) -> Any:
    return start_server("--upload-megabytes", "1", "--megapixels", "1", "--images", "4", "--seconds", "8")


@pytest.fixture(scope="module")
def model(digits: Path) -> Any:
    return supcon.load(digits)


def test_predictions_are_those_of_the_model(server: Any, model: Any, make_png: Png, tmp_path: Path) -> None:
    files = [(f"{side}.png", make_png(side, side)) for side in (8, 5, 40)]
    status, body = answer(server.port, post("/predict?top=10", files))
    for name, content in files:
        (tmp_path / name).write_bytes(content)
    expected = model.predict_proba([tmp_path / name for name, _ in files])
    assert status == 200
    assert [entry["name"] for entry in body["images"]] == ["8.png", "5.png", "40.png"]
    chances = [{each["class"]: each["probability"] for each in entry["top"]} for entry in body["images"]]
    found = [[chance[name] for name in model.classes] for chance in chances]
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert [entry["class"] for entry in body["images"]] == model.predict([tmp_path / name for name, _ in files])


def test_a_large_jpeg_gives_what_its_file_gives(server: Any, model: Any, tmp_path: Path) -> None:
    # Large JPEGs are decoded at a fraction of their size, which must not depend on where they come from.
    rows, columns = np.mgrid[0:600, 0:800]
    Image.fromarray(((rows + columns) % 256).astype(np.uint8)).save(tmp_path / "a.jpg", quality=90)
    status, body = answer(server.port, post("/embed", [("a.jpg", (tmp_path / "a.jpg").read_bytes())]))
    assert status == 200
    np.testing.assert_allclose(body["images"][0]["representation"], model.embed([tmp_path / "a.jpg"])[0], atol=1e-5)


def test_a_training_image_finds_itself(server: Any, tmp_path: Path) -> None:
    from sklearn.datasets import load_digits

    digits = (load_digits().images * (255 / 16)).round().astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(digits[0]).save(file, "PNG")
    status, body = answer(server.port, post("/search?k=3&thumbnails=true", [("zero.png", file.getvalue())]))
    near = body["images"][0]["neighbours"]
    assert status == 200
    assert len(near) == 3
    assert near[0]["similarity"] >= near[1]["similarity"] >= near[2]["similarity"]
    assert near[0]["thumbnail"].startswith("data:image/png;base64,")
    assert near[0]["label"] == "0"


def test_health_and_the_openapi_document(server: Any, model: Any) -> None:
    status, body = answer(server.port, get("/health"))
    assert (status, body["status"], body["classes"]) == (200, "ok", model.classes)
    assert body["gallery"] == model.card.counts["train"]
    status, document = answer(server.port, get("/openapi.json"))
    assert status == 200
    assert {"/predict", "/embed", "/search", "/health"} == set(document["paths"])
    assert "probability" in document["components"]["schemas"]["Prediction"]["properties"]


def test_another_host_name_is_refused(server: Any) -> None:
    assert answer(server.port, get("/health", host="evil.example"))[0] == 400


# Hostile uploads


def bomb(side: int) -> bytes:
    """A PNG of a few hundred bytes that claims to have many pixels."""
    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(b"\0" * 1000)), (b"IEND", b"")]
    parts = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


EPS = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 8 8\n%%EndComments\n(/tmp/supcon-ran) (w) file\nshowpage\n%%EOF\n"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not an image"),
        (b"no image at all", "not an image"),
        (EPS, "not an image"),
        (SVG, "not an image"),
        (bomb(9_000), "9000x9000 pixels, more than 1 million"),
        (bomb(10_000), "10000x10000 pixels, more than 1 million"),
        (bomb(40_000), "1600000000 pixels"),
    ],
    ids=["empty", "text", "eps", "svg", "many pixels", "more pixels", "bomb"],
)
def test_what_is_no_image_is_an_error_of_that_image(server: Any, make_png: Png, content: bytes, reason: str) -> None:
    status, body = answer(server.port, post("/predict", [("bad", content), ("good.png", make_png())]))
    assert status == 200
    assert reason in body["images"][0]["error"]
    assert "class" not in body["images"][0]
    assert body["images"][1]["class"]
    assert answer(server.port, post("/predict", [("bad", content)]))[0] == 422


def test_every_cut_of_an_image_is_answered(server: Any, make_png: Png) -> None:
    whole = make_png(side=40)
    for end in range(1, len(whole) - 12, len(whole) // 8):
        status, body = answer(server.port, post("/predict", [("cut.png", whole[:end])]))
        assert status == 422
        assert body["images"][0]["error"]


def test_names_come_back_as_they_were(server: Any, make_png: Png) -> None:
    name = "../../<script>é漢.png"
    _, body = answer(server.port, post("/predict", [(name, make_png())]))
    assert body["images"][0]["name"] == name


def test_a_request_that_is_too_large_is_refused(server: Any) -> None:
    status, body = answer(server.port, post("/predict", [("a", b"x" * 2_000_000)]))
    assert (status, body["detail"]) == (413, "The request has more than 1 MB; send fewer or smaller images.")


def test_a_large_request_that_hides_its_size_is_refused(server: Any) -> None:
    head, _, body = post("/predict", [("a", b"x" * 2_000_000)]).partition(b"\r\n\r\n")
    head = head.replace(f"Content-Length: {len(body)}".encode(), b"Transfer-Encoding: chunked")
    parts = [body[start : start + 100_000] for start in range(0, len(body), 100_000)]
    chunks = b"".join(f"{len(part):x}\r\n".encode() + part + b"\r\n" for part in [*parts, b""])
    status, answered = answer(server.port, head + b"\r\n\r\n" + chunks)
    assert (status, answered["detail"]) == (413, "The request has more than 1 MB; send fewer or smaller images.")


def test_too_many_images_are_refused(server: Any, make_png: Png) -> None:
    status, body = answer(server.port, post("/predict", [("a.png", make_png())] * 5))
    assert (status, body["detail"]) == (413, "5 images in one request; send at most 4.")


def test_a_form_without_images_is_refused(server: Any) -> None:
    assert answer(server.port, post("/predict", []))[0] == 422
    assert answer(server.port, b"POST /predict HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")[0] == 422
    assert answer(server.port, post("/search?k=1000", [("a.png", b"x")]))[0] == 422


# Clients that stall


def connected(server: Any) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=120)


def test_a_client_that_stalls_is_cut_off_and_nobody_else_waits(server: Any, make_png: Png) -> None:
    request = post("/predict", [("a.png", make_png())])
    with (
        connected(server) as in_body,
        connected(server) as in_head,
    ):
        in_body.sendall(request[:-30])
        in_head.sendall(b"POST /predict HTTP/1.1\r\nHost: 127")
        assert answer(server.port, request)[0] == 200
        assert select.select([in_body, in_head], [], [], 0)[0] == []  # they are not cut off yet
        status, body = read_answer(in_body)
        assert (status, body["detail"]) == (408, "The request took longer than 8 seconds to arrive.")
        assert in_head.recv(100) == b""


def test_a_client_that_leaves_disturbs_nobody(server: Any, make_png: Png) -> None:
    request = post("/predict", [("a.png", make_png())])
    for end in (20, len(request) // 2, len(request)):
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(request[:end])
    assert answer(server.port, request)[0] == 200
    deadline = time.monotonic() + 60
    while answer(server.port, get("/health"))[1]["waiting"]:
        assert time.monotonic() < deadline


# Load


@pytest.fixture(scope="module")
def busy(start_server: StartServer) -> Any:
    return start_server("--no-search", "--seconds", "100")


def test_two_hundred_clients_at_once_are_answered_in_batches(busy: Any, make_png: Png) -> None:
    server = busy
    requests = [post("/predict?top=1", [(f"{seed}.png", make_png(seed))]) for seed in range(200)]
    alone = [answer(server.port, request) for request in requests[:3]]
    with ExitStack() as stack:
        server.process.send_signal(signal.SIGSTOP)  # else a fast server may answer each before the next one is sent
        try:
            connections = [stack.enter_context(connected(server)) for _ in requests]
            for connection, request in zip(connections, requests, strict=True):
                connection.sendall(request)
        finally:
            server.process.send_signal(signal.SIGCONT)
        found = [read_answer(connection) for connection in connections]
    assert [status for status, _ in found] == [200] * 200
    assert [body["images"][0]["name"] for _, body in found] == [f"{seed}.png" for seed in range(200)]
    for (_, one), (_, other) in zip(alone, found, strict=False):
        assert one["images"][0]["probability"] == pytest.approx(other["images"][0]["probability"], abs=1e-5)
    health = answer(server.port, get("/health"))[1]
    assert health["images"] == 203
    assert health["batches"] < 100  # 7 or 8 were measured
    assert health["gallery"] == 0


def test_sigterm_answers_what_was_accepted(busy: Any, make_png: Png) -> None:
    server = busy
    request = post("/predict", [(f"{seed}.png", make_png(seed, side=500)) for seed in range(8)])
    with ExitStack() as stack:
        connections = [stack.enter_context(connected(server)) for _ in range(40)]
        for connection in connections:
            connection.sendall(request)
        code, printed = server.end()
        answers = [read_answer(connection) for connection in connections]
    assert [status for status, _ in answers] == [200] * 40
    assert all(len(body["images"]) == 8 for _, body in answers)
    assert code == 0
    assert printed.endswith("stopped; every request that was accepted has been answered\n")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port))


# Tokens and addresses


def test_a_token_is_asked_for_and_a_full_queue_refused(start_server: StartServer, make_png: Png) -> None:
    server = start_server("--no-search", "--token", "secret", "--queue", "2")
    files = [("a.png", make_png())]
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic c2VjcmV0"}):
        status, body = answer(server.port, post("/predict", files, headers))
        assert status == 401
        assert body["detail"] == "A token is needed: Authorization: Bearer TOKEN."
    right = {"Authorization": "Bearer secret"}
    assert answer(server.port, post("/predict", files * 2, right))[0] == 200
    status, body = answer(server.port, post("/predict", files * 3, right))
    assert (status, body["detail"]) == (503, "0 images are waiting, at most 2 can; try again later.")
    assert answer(server.port, get("/health"))[0] == 200


def test_a_port_in_use_is_one_sentence(server: Any, digits: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused_command(["serve", str(digits), "--port", str(server.port)], capsys) == (
        f"supcon: 127.0.0.1:{server.port} cannot be listened on (Address already in use); "
        "choose another --port or --host."
    )


def test_it_listens_on_the_loopback_address_alone(server: Any) -> None:
    listening = Path("/proc/net/tcp").read_text() if Path("/proc/net/tcp").exists() else ""
    rows = [line.split()[1] for line in listening.splitlines()[1:] if line.split()[3] == "0A"]
    mine = [row for row in rows if int(row.split(":")[1], 16) == server.port]
    if listening:
        assert [row.split(":")[0] for row in mine] == ["0100007F"]


def test_nothing_was_printed_but_the_address(server: Any) -> None:
    assert server.process.poll() is None
    code, printed = server.end()
    assert code == 0
    assert "Traceback" not in printed
    assert "Warning" not in printed
