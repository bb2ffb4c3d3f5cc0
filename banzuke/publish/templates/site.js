const MOST = 200;
const GRADES = ["A", "B", "C", "D"];
const SIZES = ["S", "M", "L", "XL"];
const [VALUE, LOW, HIGH, LIMIT, WATT, WATT_UNIT, LAUNCHES, NODES, CORES, DEVICES, TITLE, VERDICT, EDITIONS] =
  Array.from({ length: 13 }, (_, place) => place + 1);
const main = document.getElementById("main");
const made = (name, attributes = {}, ...inner) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "class") element.className = value;
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...inner);
  return element;
};
const chosen = new Set();
const state = { sheet: 0, by: "figure", search: "", year: "", edition: "", size: "", grade: "", devices: "" };
let site;
let word;

const quantity = (value, unit) => {
  if (value === null || value === undefined) return "–";
  if (unit === "1") return `${(100 * value).toPrecision(3)}%`;
  const prefixes = ["p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E"];
  const step = value > 0 ? Math.floor(Math.log10(value) / 3 + 1e-9) : 0;
  const place = Math.max(0, Math.min(prefixes.length - 1, 4 + step));
  return `${Number((value / 1000 ** (place - 4)).toPrecision(3))} ${prefixes[place]}${unit}`;
};
const percent = (share) => (share === null ? "–" : `${(100 * share).toFixed(1)}%`);
const bar = (share) => {
  const inner = made("i");
  inner.style.width = `${100 * Math.max(0, Math.min(1, share))}%`;
  return made("span", { class: "bar" }, inner);
};
const cell = (text, right = false) => made("td", right ? { class: "r" } : {}, text);
const table = (columns, rows) => made("div", { class: "scroll" }, made("table", {},
  made("thead", {}, made("tr", {}, ...columns.map(([text, right]) => made("th", right ? { class: "r", scope: "col" } : { scope: "col" }, text)))),
  made("tbody", {}, ...rows)));
const link = (machine) => made("a", { href: `#m=${machine.id}` }, machine.name);
const shareCell = (share) => (share === null ? cell("–", true) : made("td", { class: "r" }, percent(share), bar(share)));

const ranked = () => {
  const sheet = site.sheets[state.sheet];
  const place = { figure: VALUE, limit: LIMIT, watt: WATT }[state.by];
  const down = state.by !== "figure" || sheet.better === "higher";
  const lower = state.by === "watt" && sheet.better === "lower";
  const entries = [];
  for (const machine of site.machines) {
    for (const figure of machine.figures) {
      if (figure[0] === state.sheet && figure[place] !== null) entries.push({ machine, figure, key: figure[place] });
    }
  }
  return entries.sort((a, b) => ((down && !lower) ? b.key - a.key : a.key - b.key) || (a.machine.name < b.machine.name ? -1 : 1));
};
const ofEdition = ({ figure }) => {
  const [size, missed] = figure[EDITIONS][state.edition] ?? ["", [""]];
  return !state.edition || (missed.length === 0 && (!state.size || size === state.size));
};
const kept = ({ machine, figure }) => {
  const text = `${machine.name} ${machine.processors.join(" ")} ${machine.devices.join(" ")}`.toLowerCase();
  return state.search.toLowerCase().split(/\s+/).every((part) => text.includes(part))
    && (!state.year || machine.date.startsWith(state.year))
    && (!state.grade || GRADES.indexOf(machine.grade) <= GRADES.indexOf(state.grade))
    && (!state.devices || (figure[DEVICES] > 0) === (state.devices === "with"));
};

const reasons = ({ figure }) => {
  const [size, missed] = figure[EDITIONS][state.edition] ?? ["", []];
  const asked = site.rules[state.edition] ?? {};
  if (missed.length) return missed.map((code) => asked[code] ?? code).join("; ");
  return size ? `${word.class}: ${size}` : word.none;
};
const sizes = () => [...new Set(ranked().map(({ figure }) => (figure[EDITIONS][state.edition] ?? [""])[0]))]
  .filter((size) => size && size !== site.own).sort((a, b) => SIZES.indexOf(a) - SIZES.indexOf(b));

const select = (name, label, options) => made("label", {}, label, made("select", {
  id: name,
  onchange: (event) => {
    state[name] = name === "sheet" ? Number(event.target.value) : event.target.value;
    if (name === "edition" || name === "sheet") { state.size = ""; showRanking(); } else results();
  },
}, ...options.map(([value, text]) => made("option", { value, selected: String(state[name]) === String(value) }, text))));

const results = () => {
  const old = document.getElementById("results");
  const judged = ranked().filter(kept);
  const entries = judged.filter(ofEdition);
  const sheet = site.sheets[state.sheet];
  let shown = MOST;
  const row = ({ machine, figure }, place) => made("tr", {},
    made("td", {}, made("input", {
      type: "checkbox", "aria-label": `${word.compare}: ${machine.name}`, checked: chosen.has(machine.id),
      onchange: (event) => { if (event.target.checked) chosen.add(machine.id); else chosen.delete(machine.id); compareLink(); },
    })),
    cell(String(place + 1), true), made("td", { class: "name" }, link(machine)), cell(quantity(figure[VALUE], sheet.unit), true),
    cell(figure[LOW] === null ? "–" : `${quantity(figure[LOW], sheet.unit)} – ${quantity(figure[HIGH], sheet.unit)}`, true),
    shareCell(figure[LIMIT]), cell(quantity(figure[WATT], figure[WATT_UNIT]), true), cell(String(figure[LAUNCHES]), true),
    cell(String(figure[NODES]), true), cell(String(figure[CORES]), true),
    cell([...machine.devices, ...machine.processors].join(", ")), cell(machine.grade), cell(machine.date));
  const draw = () => {
    const inner = made("div", { id: "results" });
    if (!entries.length) inner.append(made("p", {}, word.none));
    else inner.append(table([[word.compare], [word.place, true], [word.machine], [word.figure, true], [word.spread, true],
      [word.limit, true], [word.watt, true], [word.launches, true], [word.nodes, true], [word.cores, true],
      [word.processor], [word.grade], [word.measured]], entries.slice(0, shown).map(row)));
    if (entries.length > shown) {
      inner.append(made("p", {}, made("button", { type: "button", onclick: () => { shown += 5 * MOST; draw(); } },
        `${word.more} (${entries.length - shown})`)));
    }
    const others = judged.filter((entry) => !ofEdition(entry));
    if (others.length) {
      inner.append(made("details", { id: "outside" }, made("summary", {}, `${word.outside} (${others.length})`),
        made("ul", {}, ...others.slice(0, MOST).map((entry) => made("li", {}, link(entry.machine), `: ${reasons(entry)}`)))));
    }
    document.getElementById("results").replaceWith(inner);
  };
  if (old) draw();
};
const compareLink = () => {
  const place = document.getElementById("compare");
  place.replaceChildren(...(chosen.size > 1 ? [made("a", { href: `#c=${[...chosen].join(",")}` }, `${word.compare} (${chosen.size})`)] : []));
};

const showRanking = () => {
  const years = [...new Set(site.machines.map((machine) => machine.date.slice(0, 4)))].sort().reverse();
  const editions = [...new Set(site.machines.flatMap((machine) => machine.figures.flatMap((figure) => Object.keys(figure[EDITIONS]))))].sort().reverse();
  const all = ["", word.all];
  main.replaceChildren(
    made("form", { onsubmit: (event) => event.preventDefault() },
      select("sheet", word.benchmark, site.sheets.map((sheet, place) => [place, sheet.title])),
      select("by", word.by, [["figure", word.figure], ["limit", word.limit], ["watt", word.watt]]),
      select("year", word.year, [all, ...years.map((year) => [year, year])]),
      select("edition", word.edition, [all, ...editions.map((edition) => [edition, edition])]),
      ...(state.edition && sizes().length ? [select("size", word.class, [all, ...sizes().map((size) => [size, size])])] : []),
      select("grade", word.grade, [all, ...GRADES.map((grade) => [grade, `≥ ${grade}`])]),
      select("devices", word.devices, [all, ["with", word.with], ["without", word.without]]),
      made("label", {}, word.search, made("input", { id: "search", type: "search", value: state.search, oninput: (event) => { state.search = event.target.value; results(); } }))),
    made("p", { id: "compare" }), made("div", { id: "results" }));
  results();
  compareLink();
};
const facts = (machine) => made("dl", {}, ...[
  [word.processor, machine.processors.join(", ")], [word.cores, String(machine.cores || "–")],
  [word.size, quantity(machine.bytes, "B")], [word.devices, machine.devices.join(", ") || "–"],
  [word.network, machine.network || "–"], [word.measured, `${machine.date}, ${machine.system || "–"}`],
  [word.grade, `${machine.grade}, ${machine.points}/100`],
].flatMap(([name, text]) => [made("dt", {}, name), made("dd", {}, text)]));
const back = () => made("p", {}, made("a", { href: "#" }, `← ${word.back}`));

const showMachine = (id) => {
  const machine = site.machines.find((each) => each.id === id);
  if (!machine) { main.replaceChildren(back(), made("p", {}, word.none)); return; }
  const rows = machine.figures.map((figure) => {
    const sheet = site.sheets[figure[0]];
    return made("tr", {}, cell(figure[TITLE]), cell(quantity(figure[VALUE], sheet.unit), true), shareCell(figure[LIMIT]),
      cell(quantity(figure[WATT], figure[WATT_UNIT]), true), cell(String(figure[LAUNCHES]), true), made("td", { class: "verdict" }, figure[VERDICT]));
  });
  main.replaceChildren(back(), made("h2", {}, machine.name), facts(machine),
    ...(machine.missing.length ? [made("p", {}, `${word.missing}:`), made("ul", {}, ...machine.missing.map((text) => made("li", {}, text)))] : []),
    table([[word.benchmark], [word.figure, true], [word.limit, true], [word.watt, true], [word.launches, true], [word.verdict]], rows));
};
const showComparison = (ids) => {
  const machines = ids.map((id) => site.machines.find((each) => each.id === id)).filter(Boolean);
  const sheets = site.sheets.map((sheet, place) => ({ sheet, place })).filter(({ place }) => machines.some((machine) => machine.figures.some((figure) => figure[0] === place)));
  const rows = sheets.map(({ sheet, place }) => {
    const figures = machines.map((machine) => machine.figures.find((figure) => figure[0] === place));
    const values = figures.filter(Boolean).map((figure) => figure[VALUE]);
    const best = sheet.better === "higher" ? Math.max(...values) : Math.min(...values);
    return made("tr", {}, cell(sheet.title), ...figures.map((figure) => {
      if (!figure) return cell("–", true);
      const ratio = sheet.better === "higher" ? figure[VALUE] / best : best / figure[VALUE];
      return made("td", { class: "r" }, quantity(figure[VALUE], sheet.unit), bar(Number.isFinite(ratio) ? ratio : 0));
    }));
  });
  const heads = table([[word.benchmark], ...machines.map((machine) => [link(machine), true])], rows);
  main.replaceChildren(back(), made("h2", {}, word.compare), heads);
};
const route = () => {
  const [kind, value] = location.hash.slice(1).split("=");
  if (kind === "m") showMachine(value);
  else if (kind === "c") showComparison(value.split(","));
  else showRanking();
};
const begin = async () => {
  const packed = Uint8Array.from(atob(document.getElementById("data").textContent), (letter) => letter.charCodeAt(0));
  site = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  word = site.words;
  addEventListener("hashchange", route);
  route();
};
begin();
