// Sorting and searching of the tables. The page is complete without it: controls stay hidden until this runs.
"use strict";
(() => {
  const controls = document.querySelector("form.controls");
  const status = document.getElementById("shown");
  const sayings = new Intl.NumberFormat("en");

  function key(cell, numeric) {
    const value = cell.dataset.value ?? cell.textContent.trim().toLowerCase();
    return numeric || cell.dataset.value !== undefined ? Number(value) : value;
  }

  function sort(table, heads, at) {
    const head = heads[at];
    const numeric = head.dataset.sort === "number";
    const before = head.getAttribute("aria-sort");
    // Big numbers are what one looks for first, and the beginning of the alphabet.
    const descending = before === null ? numeric : before === "ascending";
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row) => [key(row.cells[at], numeric), row]);
    const way = descending ? -1 : 1;
    rows.sort(([one], [two]) => (one < two ? -way : one > two ? way : 0));
    body.append(...rows.map(([, row]) => row));
  }

  for (const table of document.querySelectorAll("table[data-sortable]")) {
    const heads = Array.from(table.tHead.rows[0].cells);
    heads.forEach((head, at) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sort(table, heads, at));
      head.append(button);
    });
  }

  if (controls === null) return;
  const search = document.getElementById("search");
  const boxes = Array.from(controls.querySelectorAll("input[name=fate]"));
  const rows = Array.from(document.querySelectorAll("#property-table tbody tr"), (row) => ({
    row,
    text: row.textContent.toLowerCase(),
    fates: row.dataset.fates.split(" "),
  }));

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = boxes.filter((box) => box.checked).map((box) => box.value);
    let shown = 0;
    for (const { row, text, fates } of rows) {
      const fits = words.every((word) => text.includes(word)) && fates.some((fate) => wanted.includes(fate));
      row.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    const all = sayings.format(rows.length);
    const noun = rows.length === 1 ? "property" : "properties";
    status.textContent = shown === rows.length ? `${all} ${noun}` : `${sayings.format(shown)} of ${all} ${noun}`;
  }

  search.addEventListener("input", filter);
  for (const box of boxes) box.addEventListener("change", filter);
  controls.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement && event.target.type === "search";
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      search.focus();
    } else if (event.key === "Escape" && typing) {
      search.value = "";
      filter();
    }
  });
  controls.hidden = false;
  // A browser may bring back what was typed before the page was loaded again.
  filter();
})();
