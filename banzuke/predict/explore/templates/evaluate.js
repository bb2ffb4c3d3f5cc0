// What a table says at a position: sums of products of functions of one axis each, as `interpolant.py` has them.
const newton = ({ at }, x) => at.map((place, degree) => {
  let product = 1;
  for (let before = 0; before < degree; before += 1) product *= (x - at[before]) / (place - at[before]);
  return product;
});
const hats = ({ at, widths }, x) => at.map((place, number) => (number ? Math.max(0, 1 - Math.abs(x - place) / widths[number]) : 1));

const weights = (data, terms, axes, positions) => {
  const places = data.families[terms.family];
  const known = axes.map((name) => (terms.family === "hat" ? hats : newton)(places[name], positions[name]));
  return terms.indices.map((index) => index.reduce((product, place, axis) => product * known[axis][place], 1));
};

const evaluate = (data, table, positions) => {
  const sum = (known, terms) => terms.reduce((total, term, point) => total + term * known[point], 0);
  const ways = table.alternatives.map((one) => ({
    ...one,
    figureWeights: weights(data, one.figures, table.axes, positions),
    intervalWeights: weights(data, one.interval, table.axes, positions),
  }));
  return table.stops.map((nodes, stop) => {
    const logarithm = (one) => sum(one.figureWeights, one.figures.coefficients[stop][0]);
    const best = ways.reduce((a, b) => (table.best * logarithm(b) > table.best * logarithm(a) ? b : a));
    const outputs = best.figures.coefficients[stop].map((terms) => sum(best.figureWeights, terms));
    const [figure, seconds, peak] = outputs.slice(0, data.fixed).map((value) => Math.exp(value * data.steps.log));
    const positive = outputs.slice(data.fixed).map((value) => Math.max(0, value));
    const whole = positive.reduce((total, value) => total + value, 0) || 1;
    const [low, high] = best.interval.coefficients[stop].map((terms) => sum(best.intervalWeights, terms) * data.steps.share);
    return {
      nodes,
      figure,
      seconds,
      peak: table.peak ? peak : null,
      shares: positive.map((value) => value / whole),
      low: figure * Math.min(1, Math.max(0, low)),
      high: figure * Math.max(1, high),
    };
  });
};

const factor = (axis, position) => {
  if (axis.shape === "span") return axis.span ** position;
  return axis.span * ((1 + position) / 2) ** (axis.shape === "square" ? 2 : 3);
};
