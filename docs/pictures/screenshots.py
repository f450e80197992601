"""The README's pictures of the report: python docs/pictures/screenshots.py RUN, with a finished run and Chromium."""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

DOCS = Path(__file__).parents[1]
POINT = """() => {
  const images = JSON.parse(document.getElementById("image-data").textContent);
  const plot = document.querySelector(".map .plot");
  const wrong = images.map.findIndex((image) => images.labels[image] !== images.predicted[image]);
  const box = plot.getBoundingClientRect(), { xaxis, yaxis } = plot._fullLayout, { x, y } = plot.data[0];
  return [box.left + xaxis._offset + xaxis.d2p(x[wrong]), box.top + yaxis._offset + yaxis.d2p(y[wrong])];
}"""
"""Where the first mistake of the map is."""


def main(run: Path) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 980})
        page.goto((run / "report.html").resolve().as_uri())
        page.wait_for_selector("html[data-drawn]")
        page.screenshot(path=DOCS / "report.png")
        page.set_viewport_size({"width": 1200, "height": 1180})
        page.evaluate("document.querySelector('.filter').open = false")
        page.evaluate("document.querySelector('#map').scrollIntoView({ behavior: 'instant' })")
        page.wait_for_timeout(500)
        page.mouse.click(*page.evaluate(POINT))
        page.locator("#map .closer").wait_for()
        page.wait_for_timeout(1500)  # until it has scrolled there
        page.evaluate("document.querySelector('#map').scrollIntoView({ behavior: 'instant' })")
        page.wait_for_timeout(500)
        page.screenshot(path=DOCS / "report-closer.png")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
