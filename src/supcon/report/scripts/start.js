/* Links lead to below the bar at the top, however high it is. */
const topBar = document.querySelector("nav.contents");
new ResizeObserver(() => { root.style.scrollPaddingTop = `${topBar.offsetHeight + 12}px`; }).observe(topBar);

if (explorer) {
  setUpFilter();
  setUpConfusion();
  document.querySelectorAll(".map").forEach(setUpMap);
}
startPlots().finally(renewLater);
