"use strict";
(() => {
  const root = document.documentElement;
  const broken = document.body.dataset.broken;
  const button = document.getElementById("theme");
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const remembered = () => {
    try { return localStorage.getItem("banzuke-theme"); } catch { return null; }
  };
  const remember = (theme) => {
    try { localStorage.setItem("banzuke-theme", theme); } catch { /* a page opened from a file may have no storage */ }
  };
  const current = () => root.dataset.theme || (prefersDark.matches ? "dark" : "light");
  const label = () => { button.textContent = current() === "dark" ? button.dataset.light : button.dataset.dark; };
  const saved = remembered();
  if (saved === "dark" || saved === "light") root.dataset.theme = saved;
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = current() === "dark" ? "light" : "dark";
    remember(root.dataset.theme);
    label();
  });
  prefersDark.addEventListener("change", label);
  label();

  const whole = document.getElementById("whole");
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = whole && !whole.checked ? [] : [...document.querySelectorAll("details:not([open])")];
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => { for (const details of opened) details.open = false; });

  // Arrow keys lead from point to point, as a pointer would go, so that what it shows of each can be read without one.
  const walk = (plot) => {
    const middle = (point) => {
      const box = point.getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    const points = () => [...plot.querySelectorAll(".mark-symbol.role-mark path")]
      .sort((a, b) => middle(a)[0] - middle(b)[0] || middle(b)[1] - middle(a)[1]);
    let at = -1;
    const visit = (point, kind) => {
      const [clientX, clientY] = middle(point);
      point.dispatchEvent(new PointerEvent(kind, { clientX, clientY, bubbles: true }));
    };
    if (points().length < 2) return;
    plot.tabIndex = 0;
    plot.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const all = points();
      at = at < 0 && step < 0 ? all.length - 1 : (at + step + all.length) % all.length;
      visit(all[at], "pointermove");
    });
    plot.addEventListener("blur", () => {
      const all = points();
      if (all[at]) visit(all[at], "pointerout");
      at = -1;
    });
  };

  const unpacked = async (id) => {
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  };
  const load = async (id) => {
    const script = document.createElement("script");
    script.textContent = await unpacked(id);  // the page's policy allows it by its hash
    document.head.append(script);
  };

  const options = { renderer: "svg", actions: false, ast: true, defaultStyle: false, mode: "vega-lite" };
  const plots = [...document.querySelectorAll(".plot")];
  const draw = async () => {
    let loaded = null;
    for (const plot of plots) {
      try {
        await (loaded ??= load("drawing"));
        await vegaEmbed(plot, JSON.parse(await unpacked(plot.dataset.spec)), options);
        walk(plot);
      } catch (error) {
        plot.textContent = `${broken}: ${error.message}`;
        console.error(error);
      }
    }
    root.dataset.charts = "drawn";
  };
  draw();
})();
