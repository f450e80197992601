if (explorer) {
  setUpFilter();
  setUpConfusion();
  document.querySelectorAll(".map").forEach(setUpMap);
}
startPlots();
