/* Draws the plots, in the colours of the current colour scheme and at the width of their frames. */
const root = document.documentElement;
const plots = [...document.querySelectorAll(".plot")];

/* A copy of a figure in which colours given as CSS variables are replaced by those of the current colour scheme. */
const resolve = (value, style) => {
  if (typeof value === "string") {
    return /^var\(--[\w-]+\)$/.test(value) ? style.getPropertyValue(value.slice(4, -1)).trim() : value;
  }
  if (Array.isArray(value)) return value.map((entry) => resolve(entry, style));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, resolve(entry, style)]));
};

const plotSize = (plot) => ({ width: plot.clientWidth, height: plot.clientHeight });
const isShown = (plot) => plot.clientWidth > 0;

/* The figure as Python wrote it; listeners of "figure" may change it before it is drawn. */
const draw = (plot) => {
  const figure = resolve(JSON.parse(plot.previousElementSibling.textContent), getComputedStyle(root));
  plot.dispatchEvent(new CustomEvent("figure", { detail: figure }));
  const drawn = Plotly.react(plot, figure.data, { ...figure.layout, ...plotSize(plot) }, { displayModeBar: false });
  plot.dispatchEvent(new Event("drawn"));
  return drawn;
};
const drawAll = () => Promise.all(plots.filter(isShown).map(draw));

/* Also draws a plot when the <details> element around it is opened. */
const observer = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (!isShown(target)) continue;
    if (!target.data) draw(target);
    else if (target.layout.width !== target.clientWidth) Plotly.relayout(target, plotSize(target));
  }
});

/* Print with the light colour scheme and at the width of the paper. */
addEventListener("beforeprint", () => {
  root.classList.add("printing");
  document.querySelectorAll("details.in-print").forEach((details) => { details.open = true; });
  if (window.Plotly) drawAll();
});
addEventListener("afterprint", () => {
  root.classList.remove("printing");
  if (window.Plotly) drawAll();
});

/* plotly.js is in the page compressed: it is a third as large. */
const loadPlotly = async () => {
  const packed = document.getElementById("plotly").textContent;
  const letters = atob(packed);
  const bytes = new Uint8Array(letters.length);
  for (let place = 0; place < letters.length; place += 1) bytes[place] = letters.charCodeAt(place);
  const text = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  const script = document.createElement("script");
  script.textContent = text;
  document.head.append(script);
};

const startPlots = async () => {
  if (plots.length) await loadPlotly();
  /* Those in the window first; the page answers between the others. */
  const near = (plot) => plot.getBoundingClientRect().top < innerHeight;
  await Promise.all(plots.filter(isShown).filter(near).map(draw));
  root.dataset.interactive = "true";
  for (const plot of plots) {
    await new Promise((resume) => { setTimeout(resume); });
    if (isShown(plot) && !plot.data) await draw(plot);
  }
  plots.forEach((plot) => observer.observe(plot));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  root.dataset.drawn = "true";
};
