/* Tables that sort by the column whose heading is clicked, and tables with a field that filters their rows. */
const cellKey = (row, column) => {
  const cell = row.cells[column];
  return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
};
const compareKeys = (a, b) => (typeof a === "string" ? a.localeCompare(b, undefined, { numeric: true }) : a - b);

/* Ascending, then descending; NaN comes last. */
const sortBy = (table, column, heading) => {
  const descending = heading.getAttribute("aria-sort") === "ascending";
  table.querySelectorAll("thead th").forEach((other) => other.removeAttribute("aria-sort"));
  heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const rows = [...table.tBodies[0].rows].sort((first, second) => {
    const [a, b] = [cellKey(first, column), cellKey(second, column)];
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
    return descending ? compareKeys(b, a) : compareKeys(a, b);
  });
  table.tBodies[0].append(...rows);
};
for (const table of document.querySelectorAll("table.sortable")) {
  table.querySelectorAll("thead th").forEach((heading, column) => {
    heading.querySelector("button")?.addEventListener("click", () => sortBy(table, column, heading));
  });
}

/* Rows that contain every typed word stay. */
for (const field of document.querySelectorAll("input[data-filters]")) {
  const rows = [...document.getElementById(field.dataset.filters).tBodies[0].rows];
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    rows.forEach((row) => {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    });
  });
}

/* Buttons that copy the text of the block before them; without the permission the text is selected instead. */
for (const button of document.querySelectorAll("button.copy")) {
  button.addEventListener("click", async () => {
    const block = button.parentElement.querySelector("code");
    try {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(block);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
}
