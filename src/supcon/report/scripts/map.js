/* The map: tooltips, the lasso, and the arrow keys. */
const setUpMap = (map) => {
  const { matches, isRight, nameOf, cellOf, position, panel, listeners } = explorer;
  const points = images.map;
  const plot = map.querySelector(".plot");
  const tooltip = map.querySelector(".tooltip");
  const section = map.closest("section");
  const closer = panel(section, () => forget());
  const live = document.getElementById("map-live");
  const tools = [...section.querySelectorAll("input[name=map-tool]")];
  const chosen = new Set();
  let current = null;

  /* Dragging zooms or draws a lasso with a mouse; on touch screens it scrolls the page unless the lasso is chosen. */
  const dragmode = () => {
    const tool = tools.find((input) => input.checked)?.value;
    if (tool === "lasso") return "lasso";
    return matchMedia("(pointer: fine)").matches ? "zoom" : false;
  };
  const visible = (point) => matches(points[point]);
  const fade = () => {
    const opacity = points.map((_, point) => (visible(point) ? 0.85 : 0.07));
    Plotly.restyle(plot, { "marker.opacity": [opacity] }, [0]);
  };
  const describe = (image) => {
    const verdict = isRight(image) ? "correct" : `predicted as ${images.classes[images.predicted[image]]}`;
    return [images.classes[images.labels[image]], `${verdict}, confidence ${percentText(images.confidence[image])}`];
  };
  const paint = (image) => {
    const thumbnail = tooltip.querySelector(".thumbnail");
    const cell = cellOf.get(image);
    thumbnail.style.display = cell === undefined ? "none" : "";
    if (cell !== undefined) thumbnail.style.backgroundPosition = position(cell, images.sheet);
  };
  const place = (point) => {
    const { xaxis, yaxis } = plot._fullLayout;
    const x = plot.offsetLeft + xaxis._offset + xaxis.d2p(plot.data[0].x[point]);
    const y = plot.offsetTop + yaxis._offset + yaxis.d2p(plot.data[0].y[point]);
    const left = x + 16 + tooltip.offsetWidth > map.clientWidth ? x - 16 - tooltip.offsetWidth : x + 16;
    const top = Math.min(Math.max(y - tooltip.offsetHeight / 2, 4), map.clientHeight - tooltip.offsetHeight - 4);
    tooltip.style.left = `${Math.max(left, 4)}px`;
    tooltip.style.top = `${top}px`;
  };
  const show = (point) => {
    const [name, rest] = describe(points[point]);
    tooltip.querySelector(".tooltip-text").replaceChildren(element("strong", {}, name), element("br"), rest, element("br"), nameOf(points[point]));
    tooltip.hidden = false;
    paint(points[point]);
    place(point);
  };
  const hide = () => { tooltip.hidden = true; };
  const mark = () => {
    const marked = [...new Set([...chosen, ...(current === null ? [] : [current])])];
    Plotly.restyle(plot, { x: [marked.map((p) => plot.data[0].x[p])], y: [marked.map((p) => plot.data[0].y[p])] }, [1]);
  };
  const forget = () => {
    if (chosen.size === 0) return;
    chosen.clear();
    Plotly.restyle(plot, { selectedpoints: [null] }, [0]);
    Plotly.relayout(plot, { selections: [] });
    mark();
  };
  const showChosen = (from) => {
    const list = [...chosen].map((point) => points[point]);
    closer.many(`${list.length} chosen ${list.length === 1 ? "image" : "images"}`, list, from);
  };

  const order = points.map((_, point) => point).sort((a, b) => images.labels[points[a]] - images.labels[points[b]] || a - b);
  const label = (point) => images.labels[points[point]];
  const step = (key) => {
    const list = order.filter(visible);
    if (list.length === 0) return;
    const at = list.indexOf(current);
    const forward = key === "ArrowRight" || key === "ArrowDown";
    let next = at < 0 ? 0 : (at + (forward ? 1 : -1) + list.length) % list.length;
    if (at >= 0 && (key === "ArrowDown" || key === "ArrowUp")) {
      const classes = [...new Set(list.map(label))];
      const wanted = classes[(classes.indexOf(label(current)) + (forward ? 1 : -1) + classes.length) % classes.length];
      next = list.findIndex((point) => label(point) === wanted);
    }
    current = list[next];
    show(current);
    mark();
    const [name, rest] = describe(points[current]);
    live.textContent = `${nameOf(points[current])}: ${name}, ${rest}.`;
  };
  const leave = () => {
    current = null;
    hide();
    mark();
  };
  map.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { leave(); closer.close(); }
    if (event.key === "Enter" && chosen.size) showChosen(map);
    else if (event.key === "Enter" && current !== null) closer.one(points[current], map);
    if (event.key === " " && current !== null) {
      event.preventDefault();
      if (!chosen.delete(current)) chosen.add(current);
      mark();
      live.textContent = `${chosen.size} images chosen; Enter shows them.`;
    }
    if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
    step(event.key);
  });
  map.addEventListener("blur", leave);

  tools.forEach((input) => input.addEventListener("change", () => Plotly.relayout(plot, { dragmode: dragmode(), selections: [] })));
  plot.addEventListener("figure", ({ detail }) => { detail.layout.dragmode = dragmode(); });
  plot.addEventListener("drawn", () => {
    ["plotly_hover", "plotly_unhover", "plotly_relayout", "plotly_click", "plotly_selected"].forEach((name) => plot.removeAllListeners(name));
    plot.on("plotly_hover", (event) => show(event.points[0].pointIndex));
    plot.on("plotly_unhover", hide);
    plot.on("plotly_relayout", hide);
    plot.on("plotly_click", (event) => closer.one(points[event.points[0].pointIndex]));
    plot.on("plotly_selected", (event) => {
      const inside = (event?.points ?? []).filter((point) => point.curveNumber === 0).map((point) => point.pointIndex).filter(visible);
      if (inside.length === 0) return;
      chosen.clear();
      inside.forEach((point) => chosen.add(point));
      showChosen(null);
    });
    fade();
  });
  listeners.push(() => { if (plot.data) fade(); });
};
