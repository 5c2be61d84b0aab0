"use strict";
// Finds, filters and sorts the users of the page, and shows one of them. All texts of the data go through textContent: nothing is read as HTML.
(() => {
  const data = JSON.parse(document.getElementById("receval-data").textContent);
  const { users, items, measures, reasons } = data;
  const RELEVANT = 1, IN_TRAIN = 2, COLD = 4;
  const root = document.getElementById("explore");

  // An element with attributes and children; a text is put into <bdi>, so that its direction does not change the text around it.
  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) if (value !== "" && value !== null) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const isolated = (text) => make("bdi", {}, text);
  const shape = (name, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const number = (value) => value === null ? "none" : value.toLocaleString("en", { minimumFractionDigits: 4, maximumFractionDigits: 4 }).replace("-", "\u2212");
  const signed = (value) => value === null ? "none" : `${value > 0 ? "+" : ""}${number(value)}`;
  const plural = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
  const title = (item) => items[item][1] || items[item][0];

  // Filters

  const field = (text, control) => make("label", {}, text, control);
  const choice = (options) => {
    const control = make("select");
    options.forEach((text, index) => control.append(make("option", { value: index }, text)));
    return control;
  };
  const measure = choice(measures.map((one) => one.name));
  measure.value = data.main;
  const outcome = choice(["all users", "losses", "gains", "no change"]);
  const order = choice(["largest losses first", "largest gains first", "most relevant items first", "least similar lists first", "by name"]);
  const least = make("input", { type: "number", min: 0, inputmode: "numeric" });
  const most = make("input", { type: "number", min: 0, inputmode: "numeric" });
  const search = make("input", { type: "search", maxlength: 200, spellcheck: "false", autocomplete: "off" });
  const groups = data.groups.map((one) => {
    const names = [...new Set(one.of)].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    return { of: one.of, names, control: choice(["all", ...names]), name: one.name };
  });
  const filters = make("div", { class: "filters", role: "search", "aria-label": "Filter users" },
    field("Measure", measure), field("Show", outcome), field("Order", order),
    ...groups.map((one) => field(one.name, one.control)),
    field("Relevant items from", least), field("to", most), field("Search user", search));
  const status = make("p", { class: "status", role: "status" });
  const people = make("div", { class: "people", role: "listbox", tabindex: "0", "aria-label": "Users" });
  const person = make("div", { class: "person", "aria-live": "off" });
  root.append(filters, status, people, person);

  // The users at the left, each with a bar of its difference. Their elements are made once and only ordered anew.

  const loss = (user) => {
    const change = users[user].values[measure.value][2];
    return change === null ? 0 : measures[measure.value].lower ? change : -change;
  };
  const bar = () => {
    const svg = shape("svg", { class: "bar", width: 70, height: 12, "aria-hidden": "true" });
    svg.append(shape("rect", { y: 2, height: 8 }), shape("line", { class: "zero", x1: 35, x2: 35, y1: 0, y2: 12 }));
    return svg;
  };
  const options = users.map((user, index) => {
    const option = make("div", { role: "option", id: `user-${index}`, "aria-selected": "false" });
    option.append(make("span", { class: "who" }, isolated(user.name)), make("span", { class: "change" }), bar());
    option.addEventListener("click", () => { people.focus({ preventScroll: true }); select(index, true); });
    return option;
  });
  const label = () => {
    const widest = Math.max(...users.map((_, index) => Math.abs(loss(index)))) || 1;
    options.forEach((option, index) => {
      const width = 33 * Math.abs(loss(index)) / widest, isLoss = loss(index) > 0, rect = option.querySelector("rect");
      option.children[1].textContent = signed(users[index].values[measure.value][2]);
      const isLeft = users[index].values[measure.value][2] < 0;
      rect.setAttribute("x", isLeft ? 35 - width : 35);
      rect.setAttribute("width", width);
      rect.setAttribute("class", isLoss ? "lost" : "won");
    });
  };

  let shown = [], selected = -1;
  const keys = [
    (user) => -loss(user), (user) => loss(user), (user) => -users[user].n,
    (user) => users[user].overlap[2] ?? 2,
  ];
  const update = () => {
    const wanted = search.value.trim().toLowerCase();
    const passes = (user, index) => {
      const change = loss(index);
      if (outcome.value === "1" && !(change > 0) || outcome.value === "2" && !(change < 0) || outcome.value === "3" && change !== 0) return false;
      if (least.value !== "" && user.n < Number(least.value) || most.value !== "" && user.n > Number(most.value)) return false;
      if (groups.some((one) => one.control.value !== "0" && one.of[index] !== one.names[one.control.value - 1])) return false;
      return user.name.toLowerCase().includes(wanted);
    };
    shown = users.flatMap((user, index) => passes(user, index) ? [index] : []);
    const key = keys[order.value];
    const compare = key ? (a, b) => key(a) - key(b) || a - b : (a, b) => users[a].name.localeCompare(users[b].name, "en", { numeric: true });
    shown.sort(compare);
    people.replaceChildren(...shown.map((index) => options[index]));
    people.scrollTop = 0;
    const lost = shown.filter((user) => loss(user) > 0).length, won = shown.filter((user) => loss(user) < 0).length;
    status.textContent = `${plural(shown.length, "user")} shown: ${lost.toLocaleString("en")} ${lost === 1 ? "loss" : "losses"}, ${plural(won, "gain")}. `
      + "Arrow keys or j and k: next user; /: search.";
    if (!shown.length) { people.removeAttribute("aria-activedescendant"); selected = -1; person.replaceChildren(make("p", {}, "No user passes these filters.")); }
    else select(shown.includes(selected) ? selected : shown[0], false);
  };

  // One user

  const moveOf = (rank, other, isModel) => {
    if (!other) return make("span", { class: "move" }, isModel ? "new" : "gone");
    const up = isModel ? other - rank : 0;
    if (!isModel) return make("span", { class: "move" }, `\u2192 ${other.toLocaleString("en")}`);
    return make("span", { class: `move ${up > 0 ? "up" : up < 0 ? "down" : ""}` }, up > 0 ? `\u2191${up}` : up < 0 ? `\u2193${-up}` : "=");
  };
  const place = (rank) => rank ? `rank ${rank.toLocaleString("en")}` : "not listed";
  const picture = (item) => {
    if (!items[item][2]) return [];
    return [make("img", { src: items[item][2], alt: "", loading: "lazy", referrerpolicy: "no-referrer" })];
  };
  // How an item adds to the difference of the measure, in the words of `receval explain`.
  const difference = (one, grade, base, model) => {
    if (!one.gain) return `its term under ${data.model} \u2212 its term under ${data.base}`;
    const gain = { binary: 1, linear: grade, exp2: 2 ** grade - 1 }[one.gain];
    const term = (rank) => rank && (one.k === null || rank <= one.k) ? `1/log2(1 + ${rank})` : "0";
    return `gain ${Number(gain.toPrecision(6))} \u00b7 (${term(model)} \u2212 ${term(base)})${one.name.startsWith("n") ? " / IDCG" : ""}`;
  };
  const calculation = (user, item) => {
    const one = measures[measure.value], found = user.relevant.find((cells) => cells[0] === item);
    const name = make("b", {}, isolated(title(item)));
    if (!found) return [make("p", {}, name, `: not relevant for this user. It adds nothing to ${one.name} itself; it takes a rank.`)];
    const [, grade, base, model, baseReason, modelReason, ...terms] = found;
    const at = [name, `: ${data.base}: ${place(base)} (${reasons[baseReason]}); ${data.model}: ${place(model)} (${reasons[modelReason]}); grade ${grade}.`];
    const formula = one.formula ? ` Formula: ${one.formula}.` : "";
    if (one.split === null) return [make("p", {}, ...at, ` ${one.name} does not divide between items.${formula}`)];
    return [make("p", {}, ...at), make("p", {}, `Adds ${signed(terms[one.split])} to \u0394 ${one.name} = ${difference(one, grade, base, model)}.${formula}`)];
  };
  const list = (user, side, sum, rows) => {
    const made = make("ol");
    let isBelow = false;
    for (const [rank, item, other, marks] of user.lists[side]) {
      const below = data.k !== null && rank > data.k;
      const row = make("li", { class: `row${marks & RELEVANT ? " hit" : ""}${below ? " below" : ""}${below && !isBelow ? " first-below" : ""}`, tabindex: "0" });
      isBelow = below;
      const what = make("span", { class: "what" }, ...picture(item), isolated(title(item)));
      if (marks & IN_TRAIN) what.append(make("span", { class: "tag" }, "in train"));
      if (marks & COLD) what.append(make("span", { class: "tag" }, "cold"));
      row.append(make("span", { class: "at" }, String(rank)),
        make("span", { class: "sign" }, marks & RELEVANT ? make("span", { role: "img", "aria-label": "relevant" }, "\u2714") : ""), what, moveOf(rank, other, side === 1));
      const tell = () => {
        rows.forEach(([one, id]) => one.classList.toggle("same", id === item && one !== row));
        sum.replaceChildren(...calculation(user, item));
      };
      row.addEventListener("mouseenter", tell);
      row.addEventListener("focus", tell);
      rows.push([row, item]);
      made.append(row);
    }
    return made.childElementCount ? made : make("p", {}, "No list.");
  };
  const table = (caption, heads, body) => {
    const made = make("table", { class: "cards" }, make("caption", {}, caption),
      make("thead", {}, make("tr", {}, ...heads.map((head, column) => make("th", { scope: "col", class: column && !head.isText ? "" : "t" }, isolated(head.text))))));
    made.append(make("tbody", {}, ...body.map((cells) => make("tr", {},
      ...cells.map((cell, column) => make(column ? "td" : "th", column ? { class: heads[column].isText ? "t" : "", "data-head": heads[column].text } : { scope: "row" }, isolated(cell)))))));
    return make("div", { class: "wide", role: "group", tabindex: "0", "aria-label": caption }, made);
  };
  const words = (text) => ({ text, isText: true }), figures = (text) => ({ text, isText: false });
  const missed = (user) => {
    const one = measures[measure.value];
    const cells = user.relevant.map(([item, , base, model, baseReason, modelReason, ...terms]) => [
      title(item), base ? String(base) : "\u2013", reasons[baseReason], model ? String(model) : "\u2013", reasons[modelReason],
      ...(one.split === null ? [] : [signed(terms[one.split])]),
    ]);
    const heads = [words("relevant item"), figures(`rank in ${data.base}`), words(`why (${data.base})`), figures(`rank in ${data.model}`), words(`why (${data.model})`),
      ...(one.split === null ? [] : [figures(`\u0394 ${one.name}`)])];
    const more = user.n_more ? [make("p", {}, `${plural(user.n_more, "more relevant item")}, which change ${measures[data.main].name} least.`)] : [];
    return [table("Relevant items, and why they are hits or missed", heads, cells), ...more];
  };
  const whole = (user) => {
    const one = measures[measure.value], [base, model, change] = user.values[measure.value];
    const parts = one.split === null ? [] : user.relevant.map((cells) => [cells[6 + one.split], cells[0]]).filter(([term]) => term)
      .sort((a, b) => Math.abs(b[0]) - Math.abs(a[0]));
    const line = make("p", {}, `\u0394 ${one.name} = ${number(model)} \u2212 ${number(base)} = ${signed(change)}`);
    parts.slice(0, 5).forEach(([term, item], index) => line.append(index ? ", " : "; by item: ", isolated(title(item)), ` ${signed(term)}`));
    if (parts.length > 5) line.append(`, and ${parts.length - 5} more`);
    line.append(".");
    return [line, make("p", {}, `${one.formula ? `Formula: ${one.formula}. ` : ""}Point at an item of a list, or go to it with Tab, for what it adds.`)];
  };
  const show = (index) => {
    const user = users[index], rows = [], sum = make("div", { class: "sum", "aria-live": "polite", "aria-label": "Calculation" }, ...whole(user));
    const [overlap, jaccard, rbo] = user.overlap;
    const about = `${plural(user.n, "relevant item")}; ${overlap === null ? "no list of both models" : `${plural(overlap, "item")} in both lists`
      + (jaccard === null ? "" : `, Jaccard ${jaccard.toFixed(2)}`) + (rbo === null ? "" : `, rank-biased overlap ${rbo.toFixed(2)}`)}.`;
    const sides = [data.base, data.model].map((name, side) => make("div", {}, make("h4", {}, isolated(name)), list(user, side, sum, rows)));
    const legend = `\u2714 relevant. \u2192 12: its rank under ${data.model}; gone: not listed there. \u21915, \u21935: moved up or down from ${data.base}; `
      + `new: not listed there.${data.k === null ? "" : ` The line is the cut-off, k = ${data.k}.`}`
      + (data.has_train ? " in train: the user has it in data.train; cold: no row of data.train has it." : "");
    const history = make("details", {}, make("summary", {}, `History: ${plural(user.n_history, "train row")}`));
    if (user.history.length) history.append(make("ul", {}, ...user.history.map((item) => make("li", {}, isolated(title(item))))));
    if (user.n_history > user.history.length) history.append(make("p", {}, `${plural(user.n_history - user.history.length, "more row")}.`));
    const values = user.values.map(([base, model, change], one) => [measures[one].name, number(base), number(model), signed(change)]);
    const heads = [words("measure"), figures(data.base), figures(data.model), figures("\u0394")];
    person.replaceChildren(make("h3", {}, "user ", isolated(user.name)), make("p", {}, about), sum, make("div", { class: "pair" }, ...sides),
      make("p", { class: "legend" }, isolated(legend)), ...missed(user), make("h4", {}, "Values"), table("Values of this user", heads, values), ...(data.has_train ? [history] : []));
    person.querySelectorAll("img").forEach((image) => image.addEventListener("error", () => image.remove()));
  };
  const select = (index, isAsked) => {
    if (selected >= 0) options[selected].setAttribute("aria-selected", "false");
    selected = index;
    options[index].setAttribute("aria-selected", "true");
    people.setAttribute("aria-activedescendant", options[index].id);
    if (isAsked) options[index].scrollIntoView({ block: "nearest" });
    show(index);
  };

  // Keys: arrows in the list of users; j, k and / everywhere outside of fields.

  const step = (by) => {
    if (!shown.length) return;
    const at = Math.min(Math.max(shown.indexOf(selected) + by, 0), shown.length - 1);
    select(shown[at], true);
  };
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -users.length, End: users.length };
  people.addEventListener("keydown", (event) => {
    if (event.key in steps && !event.altKey && !event.ctrlKey && !event.metaKey) { event.preventDefault(); step(steps[event.key]); }
  });
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea")) return;
    if (event.key === "j" || event.key === "k") step(event.key === "j" ? 1 : -1);
    else if (event.key === "/") { event.preventDefault(); search.focus(); }
  });
  for (const control of [outcome, order, ...groups.map((one) => one.control)]) control.addEventListener("change", update);
  for (const control of [least, most, search]) control.addEventListener("input", update);
  measure.addEventListener("change", () => { label(); update(); });
  label();
  update();
})();
