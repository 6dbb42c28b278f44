// Draws the figures of a page with Vega-Lite, without eval. Colours are variables of the page's
// style, so that a dark page and a printed one need no second drawing.
(() => {
  const config = {
    background: null,
    font: getComputedStyle(document.body).fontFamily || "system-ui, sans-serif",
    view: { stroke: null },
    mark: { color: "var(--mark)" },
    rule: { color: "var(--mark)" },
    text: { color: "var(--ink)", fontSize: 11 },
    style: {
      strong: { fill: "var(--ink)", color: "var(--ink)" },
      faint: { stroke: "var(--line)", color: "var(--line)" },
      bad: { fill: "var(--bad)", color: "var(--bad)" },
    },
    axis: {
      labelColor: "var(--faint)", titleColor: "var(--faint)", gridColor: "var(--line)",
      domainColor: "var(--line)", tickColor: "var(--line)", labelFontSize: 11, translate: 0,
    },
    axisBand: { labelColor: "var(--ink)", grid: false },
    header: { labelColor: "var(--ink)", labelFontSize: 11 },
  };

  async function draw(place) {
    const spec = JSON.parse(place.querySelector("script").textContent);
    const compiled = vegaLite.compile({ ...spec, config }).spec;
    const drawing = document.createElement("div");
    const view = new vega.View(vega.parse(compiled, null, { ast: true }), {
      expr: vegaInterpreter.expressionInterpreter,
      renderer: "svg",
      hover: false,
      logLevel: vega.Error,
    });
    await view.initialize(drawing).runAsync();
    // A layer without marks would be an image without a text.
    for (const empty of drawing.querySelectorAll("g.role-mark:empty")) empty.removeAttribute("role");
    place.replaceChildren(drawing);
  }

  async function drawAll() {
    for (const place of document.querySelectorAll("[data-chart]")) await draw(place);
    document.documentElement.dataset.charts = "drawn";
  }

  drawAll();
})();
