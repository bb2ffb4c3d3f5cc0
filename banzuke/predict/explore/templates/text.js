// Numbers as `banzuke.units` writes them.
const PREFIXES = { "-12": "p", "-9": "n", "-6": "µ", "-3": "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E" };
const BINARY = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const PREFIXED = new Set(["flop", "Hz", "W", "J", "s", "m"]);

const number = (value) => {
  if (!Number.isFinite(value)) return "–";
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return value.toLocaleString("en");
  const size = Math.abs(Number(value.toPrecision(3)));
  if (size < 1e-4 || size >= 1e6) {
    const [mantissa, exponent] = value.toExponential(2).split("e");
    const brief = mantissa.replace(/\.?0+$/, "");
    const exact = Math.abs(Number(`${brief}e${exponent}`) - value) <= 1e-12 * Math.abs(value);
    return `${exact ? brief : mantissa}e${Number(exponent)}`;
  }
  const places = Math.max(0, 2 - Math.floor(Math.log10(size) + 1e-12));
  const text = value.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places });
  const short = places ? text.replace(/\.?0+$/, "") : text;
  return Math.abs(Number(short.replaceAll(",", "")) - value) <= 1e-12 * Math.abs(value) ? short : text;
};

const scaled = (value, unit) => {
  if (unit === "B") {
    const power = Math.abs(value) >= 1 ? Math.min(BINARY.length - 1, Math.floor(Math.log2(Math.abs(value)) / 10)) : 0;
    return [1024 ** power, BINARY[power]];
  }
  const size = Math.abs(Number(value.toPrecision(3)));
  if (!(PREFIXED.has(unit) || unit.endsWith("/s")) || size === 0) return [1, unit === "1" || unit === "count" ? "" : unit];
  let exponent = Math.floor(Math.log10(size) / 3 + 1e-12) * 3;
  exponent = Math.max(-12, Math.min(unit === "s" ? 0 : 18, exponent));
  return [10 ** exponent, PREFIXES[exponent] + unit];
};

const quantity = (value, unit) => {
  const [divisor, shown] = scaled(value, unit);
  return `${number(value / divisor)} ${shown}`.trim();
};

const percent = (share) => `${number(share * 100)}%`;

const duration = (seconds) => {
  if (seconds < 60) return quantity(seconds, "s");
  const minutes = Math.floor(Math.round(seconds) / 60);
  const hours = Math.floor(minutes / 60);
  return hours ? `${hours.toLocaleString("en")} h ${minutes % 60} min` : `${minutes} min ${Math.round(seconds) % 60} s`;
};

const filled = (text, facts) => text.replace(/\{([a-zA-Z]+)\}/g, (whole, name) => (name in facts ? facts[name] : whole));
