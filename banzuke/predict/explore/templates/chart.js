// The figure over the number of nodes: a band, a curve, the straight line from one node, and published figures.
const SVG = "http://www.w3.org/2000/svg";
const drawn = (name, attributes, ...inner) => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...inner);
  return element;
};

const logTicks = (low, high) => {
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    const tick = 10 ** power;
    if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
  }
  return ticks.length >= 2 ? ticks : [low, high];
};

const evenTicks = (high) => {
  const rough = high / 4;
  const base = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * base).find((each) => each >= rough);
  return Array.from({ length: Math.floor(high / step + 1e-9) + 1 }, (_, each) => each * step);
};

const chart = (svg, shown) => {
  const { answers, naive, dots, unit, perNode, at, width, words } = shown;
  const height = 300;
  const [left, right, top, bottom] = [62, 14, 26, 40];
  const divided = (value, nodes) => (perNode ? value / nodes : value);
  const values = answers.map((one) => ({
    x: one.nodes, y: divided(one.figure, one.nodes), low: divided(one.low, one.nodes), high: divided(one.high, one.nodes),
  }));
  const straight = naive === null ? [] : answers.map((one) => ({ x: one.nodes, y: divided(naive * one.nodes, one.nodes) }));
  const points = dots.map((dot) => ({ x: dot.nodes, y: divided(dot.value, dot.nodes), printed: dot.printed }));
  const ys = [...values.flatMap((one) => [one.low || one.y, one.high]), ...straight.map((one) => one.y), ...points.map((one) => one.y)];
  const evenly = perNode || Math.max(...ys) / Math.min(...ys) < 20;
  const [least, largest] = evenly ? [0, Math.max(...ys) * 1.06] : [Math.min(...ys) / 1.15, Math.max(...ys) * 1.15];
  const last = Math.max(2, answers.at(-1).nodes);
  const x = (nodes) => left + (Math.log(nodes) / Math.log(last)) * (width - left - right);
  const y = (value) => {
    const share = evenly ? value / largest : Math.log(value / least) / Math.log(largest / least);
    return height - bottom - Math.max(0, share) * (height - top - bottom);
  };
  const path = (line) => line.map((one, index) => `${index ? "L" : "M"}${x(one.x).toFixed(1)},${y(one.y).toFixed(1)}`).join("");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.replaceChildren();
  const [divisor, unitShown] = scaled(largest, unit);
  for (const tick of evenly ? evenTicks(largest) : logTicks(least, largest)) {
    svg.append(
      drawn("line", { class: "grid", x1: left, x2: width - right, y1: y(tick), y2: y(tick) }),
      drawn("text", { class: "tick", x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, number(Number((tick / divisor).toPrecision(3)))),
    );
  }
  svg.append(drawn("text", { class: "tick", x: 0, y: 12 }, unitShown));
  const most = Math.max(2, Math.floor((width - left - right) / 56));
  const every = Math.ceil(answers.length / most);
  answers.forEach((one, index) => {
    const isLast = index === answers.length - 1;
    if (!isLast && (index % every || x(last) - x(one.nodes) < 56)) return;
    svg.append(
      drawn("line", { class: "mark", x1: x(one.nodes), x2: x(one.nodes), y1: height - bottom, y2: height - bottom + 4 }),
      drawn("text", { class: "tick", x: x(one.nodes), y: height - bottom + 18, "text-anchor": isLast && index ? "end" : "middle" }, one.nodes.toLocaleString("en")),
    );
  });
  svg.append(
    drawn("text", { class: "tick", x: left, y: height - 4 }, words.nodes),
    drawn("path", { class: "band", d: `${path(values.map((one) => ({ x: one.x, y: one.high })))}${path([...values].reverse().map((one) => ({ x: one.x, y: evenly ? one.low : Math.max(one.low, least) }))).replace("M", "L")}Z` }),
    drawn("path", { class: "naive", d: path(straight) }),
    drawn("path", { class: "curve", d: path(values) }),
  );
  for (const dot of points) {
    svg.append(drawn("rect", { class: "dot", x: x(dot.x) - 4, y: y(dot.y) - 4, width: 8, height: 8, transform: `rotate(45 ${x(dot.x)} ${y(dot.y)})` }, drawn("title", {}, dot.printed)));
  }
  const here = values[at];
  svg.append(drawn("circle", { class: "here", cx: x(here.x), cy: y(here.y), r: 5 }));
};
