"""A real browser without network, in which a page may neither ask for anything nor complain."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from supcon.report import RunResults, build_report

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

CHROMIUM = Path("/usr/bin/chromium")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-pings"]


RESTORE = """() => {
  document.querySelectorAll(".closer").forEach((closer) => closer.querySelector(".close")?.click());
  document.querySelector(".filter").open = true;
  document.querySelector(".filter [name=clear]").click();
  document.activeElement.blur();
  scrollTo(0, 0);
}"""
"""Closes what a test has opened."""

SETTLED = """() => {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.color = "var(--soft)";
  const soft = getComputedStyle(probe).color;
  probe.remove();
  const word = document.querySelector(".plot .xtick text");
  const shown = [...document.querySelectorAll(".plot")].filter((plot) => !plot.closest("details:not([open])"));
  return (!word || getComputedStyle(word).fill === soft)
    && shown.every((plot) => plot._fullLayout?.width === plot.clientWidth);
}"""
"""Whether every plot has the width of its frame and the first one the colours of the scheme; they follow later."""


@pytest.fixture(scope="session")
def settle() -> Callable[[Any], None]:
    """Waits until the plots of a page have followed a change of its window or its colours."""
    return lambda page: page.wait_for_function(SETTLED)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if not CHROMIUM.exists():
        pytest.skip("there is no /usr/bin/chromium")
    sync_api.expect.set_options(timeout=60_000)  # a busy machine needs more than Playwright's five seconds
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=QUIET)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def complaints() -> list[str]:
    """What any page asked for or complained of."""
    return []


@pytest.fixture(autouse=True)
def nobody_complains(complaints: list[str]) -> Iterator[None]:
    complaints.clear()
    yield
    assert complaints == []


@pytest.fixture(scope="module")
def open_page(
    browser: Any, complaints: list[str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Any]]:
    """Opens HTML from a file, offline."""
    folder = tmp_path_factory.mktemp("pages")
    contexts: list[Any] = []

    def open_html(html: str, scripts: bool = True, drawn: bool = True) -> Any:
        path = folder / f"{len(contexts)}.html"
        path.write_text(html, encoding="utf-8")
        window = {"width": 1200, "height": 900}
        context = browser.new_context(viewport=window, offline=True, java_script_enabled=scripts, color_scheme="light")
        context.set_default_timeout(100_000)
        contexts.append(context)
        page = context.new_page()
        allowed = (path.as_uri(), "data:", "blob:")
        page.on("request", lambda request: complaints.extend([request.url] * (not request.url.startswith(allowed))))
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(path.as_uri())
        if scripts and drawn:
            page.wait_for_selector("html[data-drawn]")
        return page

    yield open_html
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def opened(open_page: Callable[..., Any], digits_run: RunResults) -> Any:
    """The page of the digits, opened once: it takes longer to open than to look at."""
    return open_page(build_report(digits_run))


@pytest.fixture
def page(opened: Any, settle: Callable[[Any], None]) -> Any:
    """The page of the digits as it was when it opened."""
    opened.set_viewport_size({"width": 1200, "height": 900})
    opened.emulate_media(color_scheme="light")
    opened.mouse.move(0, 0)
    opened.evaluate(RESTORE)
    settle(opened)
    sync_api.expect(opened.locator(".tooltip")).to_be_hidden()
    return opened
