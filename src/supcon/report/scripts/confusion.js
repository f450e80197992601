/* The confusion matrix: a click, or Enter on a cell reached with the arrow keys, shows the images of the cell. */
const setUpConfusion = () => {
  const { matching, matches, isActive, panel, listeners, all } = explorer;
  const section = document.getElementById("confusion");
  const frame = section.querySelector(".confusion");
  const plot = frame.querySelector(".plot");
  const live = section.querySelector("[aria-live]");
  const closer = panel(section);
  const classes = images.classes.length;
  const totals = new Array(classes).fill(0);
  images.labels.forEach((label) => { totals[label] += 1; });
  let current = null;

  const countCells = () => {
    const counts = new Map();
    for (const image of matching()) {
      const cell = images.labels[image] * classes + images.predicted[image];
      counts.set(cell, (counts.get(cell) ?? 0) + 1);
    }
    return counts;
  };
  const escapeText = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const title = (label, predicted, count) => {
    const what = `${count} ${count === 1 ? "image" : "images"} of “${images.classes[label]}”`;
    return label === predicted ? `${what}, predicted correctly` : `${what} predicted as “${images.classes[predicted]}”`;
  };
  const recount = (figure) => {
    const counts = countCells();
    const at = (label, predicted) => counts.get(label * classes + predicted) ?? 0;
    if (figure.data[0].type !== "heatmap") {
      const dots = figure.data[1];
      dots.marker.opacity = dots.x.map((predicted, dot) => (at(dots.y[dot], predicted) ? 0.8 : 0));
      return;
    }
    figure.data.forEach((trace, diagonal) => {
      const each = (make) => trace.z.map((row, label) => row.map((_, predicted) => {
        const count = at(label, predicted);
        return (label === predicted) === (diagonal === 0) && count ? make(count, label, predicted) : null;
      }));
      trace.z = each((count, label) => (100 * count) / totals[label]);
      trace.hovertext = each((count, label, predicted) => escapeText(title(label, predicted, count)));
      if (trace.text) trace.text = each((count) => String(count)).map((row) => row.map((text) => text ?? ""));
    });
  };
  const show = (label, predicted, from) => {
    const found = all.filter((image) => matches(image) && images.labels[image] === label && images.predicted[image] === predicted);
    closer.many(title(label, predicted, found.length), found, from);
  };

  /* A frame around the cell that the arrow keys have reached. */
  const mark = () => {
    const shape = current && { type: "rect", x0: current[1] - 0.5, x1: current[1] + 0.5, y0: current[0] - 0.5, y1: current[0] + 0.5, line: { width: 2.5, color: getComputedStyle(root).getPropertyValue("--ink").trim() } };
    Plotly.relayout(plot, { shapes: shape ? [shape] : [] });
  };
  const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  frame.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { current = null; mark(); }
    if (event.key === "Enter" && current) show(...current, frame);
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    current = current ? current.map((value, axis) => (value + move[axis] + classes) % classes) : [0, 0];
    mark();
    const counts = countCells();
    live.textContent = `${title(...current, counts.get(current[0] * classes + current[1]) ?? 0)}.`;
  });
  frame.addEventListener("blur", () => { if (current) { current = null; mark(); } });

  for (const button of section.querySelectorAll("button[data-label]")) {
    button.addEventListener("click", () => show(Number(button.dataset.label), Number(button.dataset.predicted), button));
  }
  plot.addEventListener("figure", ({ detail }) => { if (isActive()) recount(detail); });
  plot.addEventListener("drawn", () => {
    plot.removeAllListeners("plotly_click");
    plot.on("plotly_click", ({ points }) => show(points[0].y, points[0].x, null));
  });
  listeners.push(() => {
    if (plot.data) draw(plot);
    closer.close();
  });
};
