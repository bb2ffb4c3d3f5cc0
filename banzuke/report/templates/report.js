"use strict";
(() => {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const remembered = () => {
    try { return localStorage.getItem("banzuke-theme"); } catch { return null; }
  };
  const remember = (theme) => {
    try { localStorage.setItem("banzuke-theme", theme); } catch { /* a page opened from a file may have no storage */ }
  };
  const current = () => root.dataset.theme || (prefersDark.matches ? "dark" : "light");
  const label = () => { button.textContent = current() === "dark" ? "Light" : "Dark"; };
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

  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => { for (const details of opened) details.open = false; });

  const options = { renderer: "svg", actions: false, ast: true, defaultStyle: false, mode: "vega-lite" };
  const plots = [...document.querySelectorAll(".plot")];
  const draw = async () => {
    for (const plot of plots) {
      try {
        await vegaEmbed(plot, JSON.parse(document.getElementById(plot.dataset.spec).textContent), options);
      } catch (error) {
        plot.textContent = `This chart could not be drawn: ${error.message}`;
        console.error(error);
      }
    }
    root.dataset.charts = "drawn";
  };
  draw();
})();
