"use strict";
const charts = JSON.parse(document.getElementById("receval-charts").textContent);
const ink = matchMedia("(prefers-color-scheme: dark)").matches ? "#d6dde4" : "#333333";
const recoloured = (part) =>
  Array.isArray(part) ? part.map(recoloured)
  : part && typeof part === "object" ? Object.fromEntries(Object.entries(part).map(([name, value]) => [name, recoloured(value)]))
  : part === "#333333" ? ink : part;
for (const [id, specs] of Object.entries(charts)) {
  document.querySelectorAll(`#${id} .chart`).forEach((place, number) => {
    const drawn = document.createElement("div");
    vegaEmbed(drawn, recoloured(specs[number]), { ast: true, actions: false, renderer: "svg", defaultStyle: false })
      .then(() => place.replaceChildren(drawn))
      .catch((error) => console.error(error));
  });
}
