/* The test images of the page: the filter that the whole page follows, and galleries of some of them. */
const imagesElement = document.getElementById("image-data");
const images = imagesElement ? JSON.parse(imagesElement.textContent) : null;

const percentText = (share, digits = 1) => (Number.isFinite(share) ? `${(100 * share).toFixed(digits)}\u00a0%` : "–");
const element = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") made.addEventListener("click", value);
    else if (value !== null) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
};

const setUpImages = () => {
  const count = images.labels.length;
  const all = Array.from({ length: count }, (_, image) => image);
  const cellOf = new Map(images.shown.map((image, cell) => [image, cell]));
  const isRight = (image) => images.labels[image] === images.predicted[image];
  const nameOf = (image) => images.names?.[image] ?? `image ${image}`;
  const surestFirst = (a, b) => images.confidence[b] - images.confidence[a] || a - b;

  /* The filter */
  const filter = { class: null, from: 0, to: 1, which: "all" };
  const listeners = [];
  const isActive = () => filter.class !== null || filter.from > 0 || filter.to < 1 || filter.which !== "all";
  const matches = (image) => (filter.class === null || images.labels[image] === filter.class)
    && images.confidence[image] >= filter.from && images.confidence[image] <= filter.to
    && (filter.which === "all" || isRight(image) === (filter.which === "right"));
  const matching = () => all.filter(matches);
  const change = (values) => {
    Object.assign(filter, values);
    listeners.forEach((listener) => listener());
  };

  /* Thumbnails */
  const share = (index, total) => (total > 1 ? (100 * index) / (total - 1) : 0);
  const position = (cell, sheet) => `${share(cell % sheet.columns, sheet.columns)}% ${share(Math.floor(cell / sheet.columns), sheet.rows)}%`;
  const picture = (cell, sheet, kind, description) => {
    if (cell === undefined || cell < 0) return element("span", { class: "thumbnail missing" }, "no image");
    const made = element("span", { class: `thumbnail ${kind}`, role: "img", "aria-label": description });
    made.style.backgroundPosition = position(cell, sheet);
    return made;
  };
  const testPicture = (image) => picture(cellOf.get(image), images.sheet, "test", `test image ${nameOf(image)}`);
  const className = (name) => element("span", { class: "name", title: name }, name);

  const words = (image) => {
    const [label, predicted] = [images.classes[images.labels[image]], images.classes[images.predicted[image]]];
    const verdict = element("span", { class: isRight(image) ? "right" : "wrong" }, className(predicted));
    return [
      element("p", {}, "predicted ", verdict, ` ${percentText(images.confidence[image])}`),
      element("p", {}, "true ", element("strong", {}, className(label))),
      element("p", { class: "soft small file" }, nameOf(image)),
    ];
  };
  const item = (image, onChoose) => {
    const button = element("button", { type: "button", class: "image", title: "Show the nearest training images", onclick: () => onChoose(image) }, testPicture(image));
    return element("li", { "data-image": image }, button, ...words(image));
  };

  /* A list of images, some at a time. */
  const gallery = (list, onChoose, first = 24) => {
    const made = element("ul", { class: "gallery" }, ...list.slice(0, first).map((image) => item(image, onChoose)));
    if (list.length <= first) return [made];
    let shown = first;
    const more = element("button", { type: "button", class: "plain-button" }, "");
    const label = () => { more.textContent = `Show more (${(list.length - shown).toLocaleString("en")} left)`; };
    more.addEventListener("click", () => {
      made.append(...list.slice(shown, shown + 48).map((image) => item(image, onChoose)));
      made.children[shown].querySelector("button").focus();
      shown += 48;
      if (shown >= list.length) more.remove();
      else label();
    });
    label();
    return [made, more];
  };

  /* One test image with its nearest training images. */
  const neighbours = (image) => {
    const { training } = images;
    const cell = cellOf.get(image);
    if (!training || cell === undefined) return [element("p", { class: "note" }, "The nearest training images of this image were not kept.")];
    const made = training.nearest[cell].map((place, rank) => {
      const label = training.labels[place];
      const name = training.names?.[place] ?? "";
      const same = label === images.labels[image];
      const has = place < training.thumbnails ? place : -1;
      return element("li", {},
        picture(has, training.sheet, "training", `training image ${name}`),
        element("p", {}, element(same ? "strong" : "span", same ? {} : { class: "wrong" }, className(images.classes[label]))),
        element("p", {}, `similarity ${training.similarity[cell][rank].toFixed(3)}`),
        element("p", { class: "soft small file" }, name));
    });
    return [element("p", { class: "soft small" }, "The most similar training images, with their labels"), element("ul", { class: "gallery near" }, ...made)];
  };
  const detail = (image) => element("div", { class: "detail" },
    element("div", { class: "detail-image" }, testPicture(image), ...words(image)),
    element("div", {}, ...neighbours(image)));

  /* The panel of a section, which shows what was chosen in it. */
  const panel = (section, onClose = () => {}) => {
    const place = section.querySelector(".closer");
    let origin = null;
    const close = () => {
      place.hidden = true;
      place.replaceChildren();
      origin?.focus({ preventScroll: true });
      origin = null;
      onClose();
    };
    const open = (title, from, ...content) => {
      origin = from;
      const button = element("button", { type: "button", class: "plain-button close", onclick: close }, "Close");
      const heading = element("h3", { tabindex: "-1" }, title);
      place.replaceChildren(element("div", { class: "closer-head" }, heading, button), ...content);
      place.hidden = false;
      place.scrollIntoView({ block: "nearest" });
      if (from) heading.focus({ preventScroll: true });
    };
    place.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
    const one = (image, from = null) => open(nameOf(image), from, detail(image));
    const many = (title, list, from = null) => {
      const chosen = element("div", {});
      const choose = (image) => {
        chosen.replaceChildren(detail(image));
        chosen.scrollIntoView({ block: "nearest" });
      };
      if (list.length === 1) open(title, from, detail(list[0]));
      else open(title, from, chosen, ...gallery([...list].sort(surestFirst), choose));
    };
    return { one, many, close };
  };

  return { count, all, isRight, nameOf, surestFirst, filter, listeners, isActive, matches, matching, change, cellOf, position, gallery, panel };
};
const explorer = images ? setUpImages() : null;
