"""The page in a real browser: images are dropped, answers appear, nothing is fetched from elsewhere."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import supcon

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

CHROMIUM = Path("/usr/bin/chromium")
pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason="there is no /usr/bin/chromium")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-pings"]
DROP = """(files) => {
  const transfer = new DataTransfer();
  for (const [name, bytes] of files) transfer.items.add(new File([new Uint8Array(bytes)], name));
  const event = new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true });
  document.getElementById("drop").dispatchEvent(event);
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api.expect.set_options(timeout=60_000)  # else five seconds, which a busy machine needs for an answer
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=QUIET)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def server(start_server: Callable[..., Any]) -> Any:
    return start_server("--token", "secret", "--upload-megabytes", "1")


@pytest.fixture
def page(browser: Any, server: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    context.set_default_timeout(100_000)
    opened, complaints = context.new_page(), []
    opened.on(
        "request", lambda r: complaints.extend([r.url] * (not r.url.startswith((server.address, "data:", "blob:"))))
    )
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    # The browser reports every answer that is not a 200 by itself.
    opened.on("console", lambda m: complaints.extend([m.text] * ("the server responded with a status" not in m.text)))
    opened.goto(server.address)
    opened.wait_for_selector("html[data-ready]")
    yield opened
    context.close()
    assert complaints == []


def drop(page: Any, *files: tuple[str, bytes]) -> None:
    page.evaluate(DROP, [[name, list(content)] for name, content in files])


def unlock(page: Any) -> None:
    page.evaluate("sessionStorage.setItem('token', 'secret')")


def test_dropped_images_show_class_probabilities_and_neighbours(
    page: Any, digits: Path, make_png: Callable[..., bytes], tmp_path: Path
) -> None:
    unlock(page)
    drop(page, ("first.png", make_png(1)), ("<b>notes</b>.txt", b"no image"))
    expect = sync_api.expect
    expect(page.locator("#results > li")).to_have_count(2)
    (tmp_path / "first.png").write_bytes(make_png(1))
    chances = supcon.load(digits).predict_proba([tmp_path / "first.png"])[0]
    row = page.locator("#results > li").first
    expect(row.locator("h2")).to_have_text(str(chances.argmax()))
    shares = [f"{100 * chance:.1f} %" for chance in sorted(chances, reverse=True)[:5]]
    expect(row.locator(".probabilities li > :nth-child(2)")).to_have_text(shares)
    expect(row.locator(".probabilities li")).to_have_count(5)
    expect(row.locator(".neighbours img")).to_have_count(6)
    page.wait_for_function("[...document.querySelectorAll('.neighbours img')].every((i) => i.naturalWidth === 8)")
    bad = page.locator("#results > li").last
    expect(bad).to_contain_text("Cannot be read")
    expect(bad).to_contain_text("<b>notes</b>.txt")
    expect(page.locator("#status")).to_contain_text("2 images in")


def test_chosen_files_are_answered_and_many_are_sent_in_groups(page: Any, make_png: Callable[..., bytes]) -> None:
    unlock(page)
    sent: list[str] = []
    page.on("request", lambda request: sent.extend([request.url] * (request.method == "POST")))
    files = [{"name": f"{n}.png", "mimeType": "image/png", "buffer": make_png(n)} for n in range(20)]
    page.set_input_files("#files", files)
    sync_api.expect(page.locator("#results > li")).to_have_count(20)
    assert len(sent) == 3


def test_the_page_asks_for_the_token(page: Any, make_png: Callable[..., bytes]) -> None:
    expect = sync_api.expect
    expect(page.locator("#token-form")).to_be_hidden()
    drop(page, ("first.png", make_png(1)))
    expect(page.locator("#token-form")).to_be_visible()
    page.fill("#token", "wrong")
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text("A token is needed")
    page.fill("#token", "secret")
    page.keyboard.press("Enter")
    expect(page.locator("#results > li")).to_have_count(1)
    expect(page.locator("#token-form")).to_be_hidden()


def test_a_refusal_is_shown(page: Any) -> None:
    unlock(page)
    page.set_input_files("#files", [{"name": "huge.png", "mimeType": "image/png", "buffer": b"x" * 1_500_000}])
    sync_api.expect(page.locator("#status")).to_have_text(
        "The request has more than 1 MB; send fewer or smaller images."
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_its_window(page: Any, make_png: Callable[..., bytes], scheme: str) -> None:
    unlock(page)
    drop(page, ("a name that is long and has no end in sight and goes on and on.png", make_png(1)))
    sync_api.expect(page.locator("#results > li")).to_have_count(1)
    page.emulate_media(color_scheme=scheme)
    for width in (390, 700, 1200):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 21, 25)"
    assert dark == (scheme == "dark")
