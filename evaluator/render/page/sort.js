"use strict";
const tell = new ResizeObserver((seen) => seen.forEach(({ target }) => {
  target.classList.remove("cut");
  target.classList.toggle("cut", target.scrollWidth > target.clientWidth + 1);
}));
document.querySelectorAll(".wide").forEach((one) => tell.observe(one));
const MOST_IN_CARDS = 60, MOST_CARDS = 12;
const texts = (row) => [...row.querySelectorAll("td.t")].map((cell) => cell.textContent).filter((text) => !["", "\u2013"].includes(text)).join(" \u00b7 ");
const fold = (table) => {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "more";
  button.textContent = `Show all ${table.tBodies[0].rows.length} rows`;
  button.addEventListener("click", () => (table.classList.remove("long"), button.remove()));
  table.classList.add("long");
  table.after(button);
};
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0], given = [...body.rows];
  const names = [...table.tHead.rows[0].cells].map((head) => head.textContent);
  for (const row of given) [...row.cells].forEach((cell, column) => column && cell.setAttribute("data-head", names[column]));
  const numbers = body.querySelectorAll("td:not(.t)").length, isLarge = numbers > MOST_IN_CARDS;
  table.classList.add(isLarge ? "large" : "cards");
  if (isLarge) for (const row of given) row.cells[0].setAttribute("data-more", texts(row));
  else if (!numbers && given.length > MOST_CARDS) fold(table);
  const key = (row, column) => {
    const text = row.cells[column].firstChild?.textContent.trim() ?? "";
    const number = text.replace(/[,<\s%]/g, "").replace("\u2212", "-");
    return number !== "" && Number.isFinite(Number(number)) ? Number(number) : text;
  };
  const compare = (one, other) => {
    if (typeof one === typeof other) return typeof one === "number" ? one - other : one.localeCompare(other, "en", { numeric: true });
    return typeof one === "number" ? -1 : 1;
  };
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    if (given.length < 2 || body.querySelector("[colspan]")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      const next = now === "descending" ? "ascending" : now === "ascending" ? null : "descending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      if (next) head.setAttribute("aria-sort", next);
      const sign = next === "descending" ? -1 : 1;
      const rows = next ? [...given].sort((one, other) => sign * compare(key(one, column), key(other, column))) : given;
      body.append(...rows);
    });
  });
}
