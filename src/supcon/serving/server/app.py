"""The HTTP interface: /predict, /embed, /search, /health, the OpenAPI document, and the page."""

import asyncio
import hmac
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from fastapi import Depends, FastAPI, File, HTTPException, Query, Response, UploadFile
from fastapi.responses import FileResponse, JSONResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.middleware.trustedhost import TrustedHostMiddleware

from supcon.serving.model import Model
from supcon.serving.server.answers import (
    Embeddings,
    FoundImages,
    Health,
    Predictions,
    all_unreadable,
    embedding_values,
    prediction_values,
)
from supcon.serving.server.engine import Engine, Outputs, QueueFullError
from supcon.serving.server.request_limits import RequestLimits
from supcon.serving.server.serve_limits import ServeLimits
from supcon.serving.server.shown_gallery import ShownGallery
from supcon.serving.server.uploaded_image import UnreadableImageError

_PAGE = Path(__file__).parent / "page"
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
"""The page may run only its own script, and fetch only from its own server."""
_MOST_NEIGHBOURS = 50

Images = Annotated[list[UploadFile], File(description="One or more image files.")]
Top = Annotated[int, Query(ge=1, description="Number of classes in `top`.")]
Found = list[Outputs | UnreadableImageError]


def make_app(
    model: Model,
    name: str,
    *,
    gallery: ShownGallery | None = None,
    limits: ServeLimits | None = None,
    token: str | None = None,
    hosts: Sequence[str] | None = None,
) -> FastAPI:
    """The application for one model.

    With a `token`, every endpoint but /health and the page wants `Authorization: Bearer TOKEN`. With `hosts`, requests
    for other host names are refused, so that no web page can reach a server on this machine under its own name.
    """
    bounds = limits or ServeLimits()
    engine = Engine(model, bounds)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with engine:
            yield

    # No interactive documentation: its scripts come from other servers.
    app = FastAPI(title=f"supcon serve: {name}", lifespan=lifespan, docs_url=None, redoc_url=None)
    app.add_middleware(RequestLimits, largest=bounds.upload_bytes, seconds=bounds.seconds)
    if hosts is not None:
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False)
    _add_page(app)
    _add_endpoints(app, engine, name, gallery, [Depends(_check(token))] if token else [])
    return app


def _check(token: str) -> Callable[..., Awaitable[None]]:
    bearer = HTTPBearer(auto_error=False)

    async def check(given: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]) -> None:
        if given is None or not hmac.compare_digest(given.credentials.encode(), token.encode()):
            raise HTTPException(401, "A token is needed: Authorization: Bearer TOKEN.", {"WWW-Authenticate": "Bearer"})

    return check


def _add_page(app: FastAPI) -> None:
    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(_PAGE / "index.html", headers=_HEADERS)

    @app.get("/serve.css", include_in_schema=False)
    async def style() -> FileResponse:
        return FileResponse(_PAGE / "serve.css", headers=_HEADERS)

    @app.get("/serve.js", include_in_schema=False)
    async def script() -> FileResponse:
        return FileResponse(_PAGE / "serve.js", headers=_HEADERS)


def _add_endpoints(app: FastAPI, engine: Engine, name: str, gallery: ShownGallery | None, guard: Sequence[Any]) -> None:
    model = engine.model
    refused = {
        401: {"description": "The token is missing or wrong."},
        408: {"description": "The request arrived too slowly."},
        413: {"description": "The request is too large."},
        422: {"description": "None of the images can be read; the body has the reasons."},
        503: {"description": "Too many images are waiting; try again later."},
        504: {"description": "The answer took too long."},
    }
    options: dict[str, Any] = {"dependencies": guard, "responses": refused}

    @app.get("/health")
    async def health() -> Health:
        batches, images = engine.batches
        return Health(
            status="ok",
            model=name,
            classes=model.classes,
            image_size=model.card.image_size,
            gallery=0 if gallery is None else len(gallery),
            upload_megabytes=engine.limits.upload_megabytes,
            waiting=engine.inside,
            batches=batches,
            images=images,
        )

    @app.post("/predict", response_model=Predictions, **options)
    async def predict(images: Images, top: Top = 5) -> Response:
        """The class of every image."""
        found = await _answer(engine, images)
        return _json([prediction_values(model, n, f, top) for n, f in zip(_names(images), found, strict=True)], found)

    @app.post("/embed", response_model=Embeddings, **options)
    async def embed(images: Images) -> Response:
        """The representation of every image."""
        found = await _answer(engine, images)
        return _json([embedding_values(n, f) for n, f in zip(_names(images), found, strict=True)], found)

    @app.post("/search", response_model=FoundImages, **options)
    async def search(
        images: Images,
        k: Annotated[int, Query(ge=1, le=_MOST_NEIGHBOURS, description="Number of neighbours.")] = 6,
        top: Top = 5,
        thumbnails: Annotated[bool, Query(description="Small pictures of the neighbours, as data URLs.")] = False,
    ) -> Response:
        """The class of every image, and the most similar images of the gallery."""
        found = await _answer(engine, images)
        values = [prediction_values(model, n, f, top) for n, f in zip(_names(images), found, strict=True)]
        good = [index for index, result in enumerate(found) if isinstance(result, Outputs)]
        if gallery is not None and good:
            rows = np.stack([found[index].representation for index in good])  # type: ignore[union-attr]
            near = await asyncio.to_thread(gallery.nearest, rows, k, thumbnails)
            for index, neighbours in zip(good, near, strict=True):
                values[index]["neighbours"] = neighbours
        return _json(values, found)


def _json(values: Sequence[dict[str, object]], found: Found) -> Response:
    """The answer as it is, since checking it against its own schema would take longer than a small model."""
    return JSONResponse({"images": values}, 422 if all_unreadable(found) else 200)


async def _answer(engine: Engine, images: Sequence[UploadFile]) -> Found:
    if len(images) > engine.limits.images:
        raise HTTPException(413, f"{len(images)} images in one request; send at most {engine.limits.images}.")
    try:
        return await engine.answer([await image.read() for image in images])
    except QueueFullError as error:
        raise HTTPException(503, f"{error}; try again later.", {"Retry-After": "1"}) from error


def _names(images: Sequence[UploadFile]) -> list[str]:
    return [image.filename or "" for image in images]
