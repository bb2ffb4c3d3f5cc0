const root = document.documentElement;
const by = (id) => document.getElementById(id);
const made = (name, attributes = {}, ...inner) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "class") element.className = value;
    else element.setAttribute(key, value);
  }
  element.append(...inner);
  return element;
};
const remembered = (name) => {
  try { return localStorage.getItem(name); } catch { return null; }
};
const remember = (name, value) => {
  try { localStorage.setItem(name, value); } catch { /* a page opened from a file may have no storage */ }
};

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);

const unpacked = async () => {
  const bytes = Uint8Array.from(atob(by("data").textContent.trim()), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
};

const start = (data) => {
  const state = { machine: data.machines[0], table: null, benchmark: "", stop: 0, perNode: true, positions: {} };
  let said = data.words.en;

  const asDescribed = () => { state.positions = { ...data.nominal }; };
  const axisText = (name) => {
    const axis = data.axes[name];
    const times = factor(axis, state.positions[name]);
    if (name === "noise" && times < 1e-6) return said.own.none;
    const value = state.machine.values[name];
    const amount = value === undefined ? "" : axis.unit === "1" ? percent(value * times) : quantity(value * times, axis.unit);
    return name === "noise" ? amount : [amount, `×${number(times)}`].filter(Boolean).join(", ");
  };

  const command = () => {
    const words = ["banzuke", "predict", state.benchmark, state.machine.id, "--nodes", state.table.stops[state.stop]];
    for (const name of state.table.axes) {
      const times = factor(data.axes[name], state.positions[name]);
      if (state.positions[name] === data.nominal[name]) continue;
      if (name === "noise") {
        const length = state.machine.values.noise * times;
        if (length > 1e-9) words.push("--noise", `${(length * 1e6).toFixed(3)}us/${data.interval}s`);
      } else words.push("--scale", `${name}=${Number(Math.max(times, 1e-6).toPrecision(6))}`);
    }
    return words.map((word) => (/^[\w.,:=/@+-]+$/.test(word) ? word : `'${String(word).replaceAll("'", "'\\''")}'`)).join(" ");
  };

  const showBound = (answer) => {
    const rows = state.table.resources
      .map((name, index) => ({ name, title: said.resources[name], share: answer.shares[index], colour: `var(--c${(index % 8) + 1})` }))
      .filter((one) => one.share >= 0.0005);
    by("bar").replaceChildren(...rows.map((one) => made("span", { style: `width: ${one.share * 100}%; background: ${one.colour}` })));
    rows.sort((a, b) => b.share - a.share);
    by("resources").replaceChildren(...rows.map((one) => made("tr", {},
      made("th", { scope: "row" }, made("i", { class: "key", style: `background: ${one.colour}` }), one.title),
      made("td", { class: "r" }, duration(one.share * answer.seconds)),
      made("td", { class: "r" }, percent(one.share)))));
    by("bound-by").textContent = rows.length ? filled(said.own["bound-by"], { resource: rows[0].title, share: percent(rows[0].share) }) : "";
  };

  const showChart = (answers) => {
    const { table } = state;
    const rate = table.unit.endsWith("/s");
    const perNode = rate && state.perNode;
    const naive = rate && table.stops[0] === 1 ? answers[0].figure : null;
    by("chart").hidden = table.stops.length < 2;
    by("view").hidden = !rate;
    by("one-node").hidden = table.stops.length > 1;
    by("key-naive").hidden = naive === null;
    by("key-dots").hidden = !table.dots.length;
    const svg = by("plot");
    chart(svg, {
      answers, naive, perNode, dots: table.dots, unit: table.unit, at: state.stop,
      width: Math.max(300, Math.min(720, svg.parentElement.clientWidth)), words: { nodes: said.own.nodes },
    });
    const of = (one) => quantity(perNode ? one.figure / one.nodes : one.figure, table.unit);
    svg.setAttribute("aria-label", filled(said.own["chart-said"], {
      metric: said.metrics[state.benchmark], first: of(answers[0]), least: answers[0].nodes, last: of(answers.at(-1)), most: answers.at(-1).nodes,
    }));
    return naive;
  };

  // As Python's `standing` says it: the last edition that the figure would have led, or its best place; then the newest.
  const standing = (figure) => {
    const list = data.lists[state.benchmark];
    if (!list) return "";
    const places = Object.entries(list.editions)
      .map(([edition, figures]) => ({ edition, place: figures.filter((other) => other > figure).length + 1, of: figures.length }))
      .filter(({ place, of }) => place <= of);
    if (!places.length) return said.own["rank-none"];
    const say = (word, { edition, place }) => filled(said.own[word], { place, edition: said.editions[edition] });
    const last = places.at(-1);
    const best = places.reduce((first, other) => (other.place < first.place ? other : first));
    const led = places.findLast(({ place }) => place === 1);
    const words = [];
    if (led && led !== last) words.push(say("rank-led", led));
    else if (!led && best !== last) words.push(say("rank-best", best));
    words.push(say(last.edition === Object.keys(list.editions).at(-1) ? "rank-newest" : "rank-last", last));
    return words.join(root.lang === "ja" ? "、" : "; ");
  };

  const show = () => {
    const { table } = state;
    const answers = evaluate(data, table, state.positions);
    const answer = answers[state.stop];
    by("metric").textContent = said.metrics[state.benchmark];
    by("figure").textContent = quantity(answer.figure, table.unit);
    by("likely").textContent = filled(table.probability ? said.own.within : said.own.likely, {
      low: quantity(answer.low, table.unit), high: quantity(answer.high, table.unit), share: percent(table.probability || 0),
    });
    by("of-peak-row").hidden = answer.peak === null;
    by("of-peak").textContent = answer.peak === null ? "" : percent(answer.figure / answer.peak);
    by("time").textContent = duration(answer.seconds);
    by("place").textContent = standing(answer.figure);
    const naive = showChart(answers);
    by("naive-row").hidden = naive === null || table.stops.length < 2;
    by("naive").textContent = naive === null ? "" : quantity(naive * answer.nodes, table.unit);
    showBound(answer);
    by("nodes").setAttribute("aria-valuetext", answer.nodes.toLocaleString("en"));
    by("nodes-text").textContent = answer.nodes.toLocaleString("en");
    for (const name of table.axes) {
      by(`axis-${name}`).setAttribute("aria-valuetext", axisText(name));
      by(`axis-${name}-text`).textContent = axisText(name);
    }
    by("command").textContent = command();
    by("figure").dataset.value = answer.figure;
    root.dataset.drawn = Number(root.dataset.drawn || 0) + 1;
  };

  const slider = (id, title, attributes, changed) => {
    const input = made("input", { type: "range", id, ...attributes });
    input.addEventListener("input", () => { changed(Number(input.value)); show(); keep(); });
    return made("div", { class: "slider" }, made("label", { for: id }, title), made("output", { for: id, id: `${id}-text` }), input);
  };

  const showControls = () => {
    const { table } = state;
    by("sliders").replaceChildren(
      slider("nodes", said.own.nodes, { min: 0, max: table.stops.length - 1, step: 1, value: state.stop, ...(table.stops.length < 2 && { disabled: "" }) }, (value) => { state.stop = value; }),
      ...table.axes.map((name) => slider(`axis-${name}`, said.axes[name], { min: -1, max: 1, step: 0.02, value: state.positions[name] }, (value) => { state.positions[name] = value; })),
    );
    const unmoved = Object.keys(data.axes).filter((name) => !table.axes.includes(name));
    by("unmoved").textContent = unmoved.length ? filled(said.own.unmoved, { names: unmoved.map((name) => said.axes[name]).join(root.lang === "ja" ? "、" : ", ") }) : "";
  };

  const showFacts = () => {
    const { table } = state;
    const { points, figure, share, interval_points: drawn, interval } = table.deviation;
    by("deviation").textContent = filled(said.own.deviation, {
      points, median: percent(figure.median), most: percent(figure.worst_but_few), worst: percent(figure.worst), share: percent(share.worst_but_few),
    });
    by("interval-said").textContent = filled(said.own["interval-said"], { points: drawn, median: percent(interval.median), worst: percent(interval.worst) });
    by("public").hidden = !table.public;
    if (table.public) {
      const { figures, machine, family } = table.public;
      by("public").textContent = filled(said.own.public, {
        figures, median: percent(machine.median), most: percent(machine.most_of_ten), other: percent(family.median), mostOther: percent(family.most_of_ten),
      });
    }
    const errors = data.errors[state.benchmark];
    by("errors").hidden = !errors.length;
    by("error-rows").replaceChildren(...errors.map((row) => made("tr", {},
      made("th", { scope: "row" }, said.own[row.kind]), made("td", {}, said.own[row.way]),
      ...[row.figures, percent(row.median), percent(row.most_of_ten), percent(row.held)].map((text) => made("td", { class: "r" }, String(text))))));
    const list = data.lists[state.benchmark];
    by("place-row").hidden = !list;
    by("place-list").textContent = list ? filled(said.own.place, { list: list.title }) : "";
    by("loose").hidden = figure.worst_but_few < 0.05;
    by("dots").hidden = !table.dots.length;
    by("dot-rows").replaceChildren(...table.dots.map((dot) => made("tr", {},
      made("th", { scope: "row", class: "r" }, dot.nodes.toLocaleString("en")), made("td", { class: "r" }, said.said[dot.printed] || dot.printed || quantity(dot.value, table.unit)),
      made("td", { class: "r" }, quantity(dot.predicted, table.unit)), made("td", {}, said.said[dot.where] || dot.where))));
    by("remarks").replaceChildren(...table.remarks.map((text) => made("li", {}, said.said[text] || text)));
    by("remarks").hidden = !table.remarks.length;
    const refused = Object.entries(state.machine.refused);
    by("refused").hidden = !refused.length;
    by("refused-list").replaceChildren(...refused.map(([name, why]) => made("li", {}, `${said.benchmarks[name]}: ${said.said[why] || why}`)));
  };

  const options = (select, pairs, chosen) => {
    select.replaceChildren(...pairs.map(([value, title]) => made("option", { value }, title)));
    select.value = chosen;
  };

  const choose = (machine, benchmark, nodes) => {
    state.machine = data.machines.find((one) => one.id === machine) ?? data.machines[0];
    const known = Object.keys(state.machine.tables);
    state.benchmark = known.includes(benchmark) ? benchmark : known[0];
    state.table = state.machine.tables[state.benchmark];
    const near = state.table.stops.findLastIndex((stop) => stop <= nodes);
    state.stop = near < 0 ? state.table.stops.length - 1 : near;
    options(by("machine"), data.machines.map((one) => [one.id, one.name]), state.machine.id);
    options(by("benchmark"), known.map((name) => [name, said.benchmarks[name]]), state.benchmark);
  };
  const all = () => { showControls(); showFacts(); show(); };

  // The address keeps what was chosen, so that a page can be passed on as it is seen.
  const keep = () => {
    const moved = Object.keys(data.nominal).filter((name) => state.positions[name] !== data.nominal[name]);
    const parts = new URLSearchParams({ machine: state.machine.id, benchmark: state.benchmark, nodes: state.table.stops[state.stop] });
    for (const name of moved) parts.set(name, state.positions[name]);
    try { history.replaceState(null, "", `#${parts}`); } catch { /* not in every page that is opened from a file */ }
  };
  const recall = () => {
    const parts = new URLSearchParams(location.hash.slice(1));
    asDescribed();
    for (const name of Object.keys(data.nominal)) {
      const value = Number.parseFloat(parts.get(name));
      if (value >= -1 && value <= 1) state.positions[name] = value;
    }
    choose(parts.get("machine"), parts.get("benchmark"), Number(parts.get("nodes") ?? Infinity) || Infinity);
  };

  const speak = (language) => {
    root.lang = language;
    said = data.words[language];
    for (const element of document.querySelectorAll("[data-word]")) element.textContent = said.own[element.dataset.word];
    document.title = `${said.own.kind}: ${said.own.title}`;
    by("language").lang = language === "ja" ? "en" : "ja";
    by("theme").textContent = said.own[dark() ? "light" : "dark"];
    by("omitted-list").replaceChildren(...Object.entries(data.omitted).map(([name, why]) => made("li", {}, `${name}: ${said.said[why] || why}`)));
    by("omitted").hidden = !Object.keys(data.omitted).length;
    choose(state.machine.id, state.benchmark, state.table ? state.table.stops[state.stop] : Infinity);
    all();
  };

  by("machine").addEventListener("change", (event) => { asDescribed(); choose(event.target.value, state.benchmark, Infinity); all(); keep(); });
  by("benchmark").addEventListener("change", (event) => { choose(state.machine.id, event.target.value, state.table.stops[state.stop]); all(); keep(); });
  by("reset").addEventListener("click", () => { asDescribed(); all(); keep(); });
  for (const view of document.querySelectorAll('input[name="view"]')) {
    view.addEventListener("change", () => { state.perNode = view.value === "node"; show(); });
  }
  by("language").addEventListener("click", () => {
    const other = root.lang === "ja" ? "en" : "ja";
    remember("banzuke-language", other);
    speak(other);
  });
  by("theme").addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    remember("banzuke-theme", root.dataset.theme);
    by("theme").textContent = said.own[dark() ? "light" : "dark"];
  });
  prefersDark.addEventListener("change", () => { by("theme").textContent = said.own[dark() ? "light" : "dark"]; });
  addEventListener("resize", show);
  addEventListener("hashchange", () => { recall(); all(); });
  by("main").hidden = false; // before it is drawn, which needs its width
  recall();
  speak(["en", "ja"].find((each) => each === remembered("banzuke-language")) ?? (navigator.language.startsWith("ja") ? "ja" : root.lang));
  window.banzukeEvaluate = (machine, benchmark, positions) =>
    evaluate(data, data.machines.find((one) => one.id === machine).tables[benchmark], { ...data.nominal, ...positions });
};

const theme = remembered("banzuke-theme");
if (theme === "dark" || theme === "light") root.dataset.theme = theme;
unpacked().then(start).catch((error) => {
  by("broken").hidden = false;
  by("broken").textContent = String(error);
});
