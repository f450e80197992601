"use strict";
(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const plots = [...document.querySelectorAll(".plot")];
  const config = { displayModeBar: false };
  /* Dragging zooms into the map with a mouse only; on touch screens it scrolls the page. */
  const zoom = matchMedia("(pointer: fine)").matches ? "zoom" : false;

  /* A copy of a figure in which colours given as CSS variables are replaced by those of the current colour scheme. */
  const resolve = (value, style) => {
    if (typeof value === "string") {
      return /^var\(--[\w-]+\)$/.test(value) ? style.getPropertyValue(value.slice(4, -1)).trim() : value;
    }
    if (Array.isArray(value)) return value.map((entry) => resolve(entry, style));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, resolve(entry, style)]));
  };

  const size = (plot) => ({ width: plot.clientWidth, height: plot.clientHeight });
  const shown = (plot) => plot.clientWidth > 0;

  const draw = (plot) => {
    const figure = resolve(JSON.parse(plot.previousElementSibling.textContent), getComputedStyle(root));
    if (plot.closest(".map")) figure.layout.dragmode = zoom;
    const drawn = Plotly.react(plot, figure.data, { ...figure.layout, ...size(plot) }, config);
    plot.dispatchEvent(new Event("drawn"));
    return drawn;
  };
  const drawAll = () => Promise.all(plots.filter(shown).map(draw));

  /* Also draws a plot when the <details> element around it is opened. */
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (!shown(target)) continue;
      if (!target.data) draw(target);
      else if (target.layout.width !== target.clientWidth) Plotly.relayout(target, size(target));
    }
  });

  /* Print with the light colour scheme and at the width of the paper. */
  addEventListener("beforeprint", () => {
    root.classList.add("printing");
    document.querySelectorAll("details.in-print").forEach((details) => { details.open = true; });
    drawAll();
  });
  addEventListener("afterprint", () => {
    root.classList.remove("printing");
    drawAll();
  });

  /* Tables that sort by the column whose heading is clicked: ascending, then descending; NaN comes last. */
  const key = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
  };
  const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b, undefined, { numeric: true }) : a - b);
  const sortBy = (table, column, heading) => {
    const descending = heading.getAttribute("aria-sort") === "ascending";
    table.querySelectorAll("thead th").forEach((other) => other.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const rows = [...table.tBodies[0].rows].sort((first, second) => {
      const [a, b] = [key(first, column), key(second, column)];
      if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
      return descending ? compare(b, a) : compare(a, b);
    });
    table.tBodies[0].append(...rows);
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    table.querySelectorAll("thead th").forEach((heading, column) => {
      heading.querySelector("button").addEventListener("click", () => sortBy(table, column, heading));
    });
  }

  const setUpMap = (map) => {
    const details = JSON.parse(map.querySelector(".map-details").textContent);
    const plot = map.querySelector(".plot");
    const tooltip = map.querySelector(".tooltip");
    const controls = map.previousElementSibling;
    const onlyMistakes = controls.querySelector(".only-mistakes");
    const choice = controls.querySelector(".class-choice");
    const chips = [...controls.querySelectorAll(".chip")];
    const live = document.getElementById("map-live");
    let current = null;

    const chosen = () => {
      if (choice) return choice.value === "" ? null : Number(choice.value);
      const pressed = chips.find((chip) => chip.getAttribute("aria-pressed") === "true");
      return pressed ? Number(pressed.dataset.class) : null;
    };
    const visible = (point) => (chosen() === null || details.labels[point] === chosen())
      && (!onlyMistakes.checked || details.labels[point] !== details.predicted[point]);
    const fade = () => {
      const opacity = details.labels.map((_, point) => (visible(point) ? 0.85 : 0.07));
      Plotly.restyle(plot, { "marker.opacity": [opacity] }, [0]);
    };
    const describe = (point) => {
      const [label, predicted] = [details.labels[point], details.predicted[point]];
      const verdict = label === predicted ? "correct" : `predicted as ${details.classes[predicted]}`;
      return [details.classes[label], `${verdict}, confidence ${(100 * details.confidence[point]).toFixed(1)}\u00a0%`];
    };
    const paint = (point) => {
      const thumbnail = tooltip.querySelector(".thumbnail");
      const cell = details.cells[point];
      const { columns, rows } = details.sprite;
      const share = (index, count) => (count > 1 ? (100 * index) / (count - 1) : 0);
      thumbnail.style.display = cell < 0 ? "none" : "";
      thumbnail.style.backgroundPosition = `${share(cell % columns, columns)}% ${share(Math.floor(cell / columns), rows)}%`;
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
      const [name, rest] = describe(point);
      const title = document.createElement("strong");
      title.textContent = name;
      const number = details.names[point];
      tooltip.querySelector(".tooltip-text").replaceChildren(title, document.createElement("br"), rest, document.createElement("br"), number);
      tooltip.hidden = false;
      paint(point);
      place(point);
    };
    const mark = (points) => Plotly.restyle(plot, { x: [points.map((p) => plot.data[0].x[p])], y: [points.map((p) => plot.data[0].y[p])] }, [1]);
    const hide = () => { tooltip.hidden = true; };

    const order = details.labels.map((_, point) => point).sort((a, b) => details.labels[a] - details.labels[b] || a - b);
    const step = (key) => {
      const points = order.filter(visible);
      if (points.length === 0) return;
      const at = points.indexOf(current);
      const forward = key === "ArrowRight" || key === "ArrowDown";
      let next = at < 0 ? 0 : (at + (forward ? 1 : -1) + points.length) % points.length;
      if (at >= 0 && (key === "ArrowDown" || key === "ArrowUp")) {
        const classes = [...new Set(points.map((point) => details.labels[point]))];
        const wanted = classes[(classes.indexOf(details.labels[current]) + (forward ? 1 : -1) + classes.length) % classes.length];
        next = points.findIndex((point) => details.labels[point] === wanted);
      }
      current = points[next];
      show(current);
      mark([current]);
      const [name, rest] = describe(current);
      live.textContent = `${details.names[current]}: ${name}, ${rest}.`;
    };
    map.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { current = null; hide(); mark([]); }
      if (!event.key.startsWith("Arrow")) return;
      event.preventDefault();
      step(event.key);
    });
    map.addEventListener("blur", () => { hide(); mark([]); });

    for (const chip of chips) {
      chip.addEventListener("click", () => {
        const pressed = chip.getAttribute("aria-pressed") === "true";
        chips.forEach((other) => other.setAttribute("aria-pressed", String(other === chip && !pressed)));
        fade();
      });
    }
    controls.addEventListener("change", fade);
    plot.addEventListener("drawn", () => {
      ["plotly_hover", "plotly_unhover", "plotly_relayout"].forEach((name) => plot.removeAllListeners(name));
      plot.on("plotly_hover", (event) => show(event.points[0].pointIndex));
      plot.on("plotly_unhover", hide);
      plot.on("plotly_relayout", hide);
      fade();
    });
  };

  document.querySelectorAll(".map").forEach(setUpMap);
  dark.addEventListener("change", drawAll);
  drawAll().then(() => {
    plots.forEach((plot) => observer.observe(plot));
    root.dataset.drawn = "true";
  });
})();
