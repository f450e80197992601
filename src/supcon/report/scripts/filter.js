/* The controls of the filter, and the parts of the page that are recounted for the images that match it. */
const setUpFilter = () => {
  const { filter, change, isActive, matching, matches, isRight, surestFirst, gallery, panel, listeners, count } = explorer;
  const form = document.querySelector(".filter form");
  const chips = [...document.querySelectorAll(".chip")];
  const status = document.querySelector(".filter-status");
  const { elements } = form;

  const read = () => change({
    class: elements.class.value === "" ? null : Number(elements.class.value),
    from: Math.min(Math.max(Number(elements.from.value) || 0, 0), 100) / 100,
    to: elements.to.value === "" ? 1 : Math.min(Math.max(Number(elements.to.value), 0), 100) / 100,
    which: elements.which.value,
  });
  form.addEventListener("input", read);
  form.addEventListener("submit", (event) => event.preventDefault());
  elements.clear.addEventListener("click", () => {
    form.reset();
    read();
  });
  for (const chip of chips) {
    chip.addEventListener("click", () => {
      elements.class.value = chip.getAttribute("aria-pressed") === "true" ? "" : chip.dataset.class;
      read();
    });
  }
  const showState = () => {
    const found = matching();
    const right = found.filter(isRight).length;
    const words = found.length ? `${right.toLocaleString("en")} of them correct (${percentText(right / found.length)})` : "none";
    status.textContent = isActive()
      ? `${found.length.toLocaleString("en")} of ${count.toLocaleString("en")} test images, ${words}`
      : `all ${count.toLocaleString("en")} test images`;
    elements.clear.disabled = !isActive();
    root.classList.toggle("filtered", isActive());
    chips.forEach((chip) => chip.setAttribute("aria-pressed", String(Number(chip.dataset.class) === filter.class)));
  };

  /* Wrong predictions, the most confident first. */
  const mistakes = document.getElementById("mistakes");
  const mistakesPanel = panel(mistakes);
  const mistakesList = mistakes.querySelector(".mistakes");
  const showMistakes = () => {
    if (!mistakesList) return;
    const wrong = matching().filter((image) => !isRight(image)).sort(surestFirst);
    mistakesPanel.close();
    const choose = (image) => mistakesPanel.one(image, mistakesList.querySelector(`[data-image="${image}"] button`));
    mistakesList.replaceChildren(...(wrong.length ? gallery(wrong, choose) : [element("p", { class: "note" }, "No mistake matches the filter.")]));
  };

  /* The table of classes: images, accuracy and precision among those that match. */
  const rows = [...document.querySelectorAll("#classes tbody tr")];
  const setCell = (cell, share) => {
    cell.dataset.value = String(share);
    cell.querySelector(".bar").hidden = !Number.isFinite(share);
    cell.querySelector(".bar span").style.width = `${100 * (Number.isFinite(share) ? share : 0)}%`;
    cell.querySelector(".share").textContent = percentText(share);
  };
  const countClasses = () => {
    const [total, given, right] = [0, 1, 2].map(() => new Array(images.classes.length).fill(0));
    for (const image of matching()) {
      total[images.labels[image]] += 1;
      given[images.predicted[image]] += 1;
      if (isRight(image)) right[images.labels[image]] += 1;
    }
    for (const row of rows) {
      const number = Number(row.dataset.class);
      row.hidden = filter.class !== null && number !== filter.class;
      row.cells[1].dataset.value = row.cells[1].textContent = total[number];
      setCell(row.cells[2], right[number] / total[number]);
      setCell(row.cells[3], right[number] / given[number]);
    }
  };

  /* The reliability diagram; bins are closed above, as in Python. */
  const plot = document.querySelector("#reliability .plot");
  const countBins = (figure) => {
    const bins = figure.data[1].x.length;
    const [counts, confident, right] = [0, 1, 2].map(() => new Array(bins).fill(0));
    for (const image of matching()) {
      const bin = Math.min(Math.max(Math.ceil(images.confidence[image] * bins) - 1, 0), bins - 1);
      counts[bin] += 1;
      confident[bin] += images.confidence[image];
      if (isRight(image)) right[bin] += 1;
    }
    const mean = (sums) => sums.map((sum, bin) => (counts[bin] ? (100 * sum) / counts[bin] : null));
    const [confidence, accuracy] = [mean(confident), mean(right)];
    const hover = counts.map((total, bin) => `${total} images<br>confidence ${percentText(confidence[bin] / 100)}, accuracy ${percentText(accuracy[bin] / 100)}`);
    const opacity = counts.map((number) => (number >= 10 ? 1 : 0.45));
    const [, bars, gap, number] = figure.data;
    Object.assign(bars, { y: accuracy, hovertext: hover });
    Object.assign(gap, { base: accuracy, y: confidence.map((value, bin) => (value === null ? null : value - accuracy[bin])) });
    Object.assign(number, { y: counts, hovertext: hover });
    bars.marker.opacity = gap.marker.opacity = opacity;
  };
  plot.addEventListener("figure", ({ detail }) => { if (isActive()) countBins(detail); });

  listeners.push(showState, showMistakes, countClasses, () => { if (plot.data) draw(plot); });
  showState();
  showMistakes();
  const details = document.querySelector(".filter");
  details.open = matchMedia("(min-width: 60rem)").matches;
};
