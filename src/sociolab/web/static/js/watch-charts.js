// Charts of a run, drawn by vega-lite without eval, in the colours of the page.

const specs = JSON.parse(document.getElementById("chart-data").textContent);
const places = [...document.querySelectorAll("[data-chart]")];
const drawn = new Map();

function look() {
  const style = getComputedStyle(document.documentElement);
  // light-dark() is worked out only where it is used as a colour.
  const probe = document.createElement("span");
  document.body.append(probe);
  const colour = (name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const found = { ink: colour("--ink"), faint: colour("--faint"), line: colour("--line"), mark: colour("--mark") };
  probe.remove();
  return { ...found, font: style.fontFamily || "system-ui, sans-serif" };
}

function themed(spec, { ink, faint, line, mark, font }) {
  return {
    ...spec,
    background: "transparent",
    config: {
      font,
      view: { stroke: null },
      mark: { color: mark },
      rule: { color: mark },
      axis: { labelColor: faint, titleColor: faint, gridColor: line, domainColor: line, tickColor: line, labelFontSize: 11 },
      axisY: { labelColor: ink, grid: false },
      header: { labelColor: ink, labelFontSize: 11 },
    },
  };
}

async function draw(place, colours) {
  const number = Number(place.dataset.chart);
  const { spec } = vegaLite.compile(themed(specs[number], colours));
  drawn.get(place)?.finalize();
  place.replaceChildren();
  const view = new vega.View(vega.parse(spec, null, { ast: true }), {
    expr: vegaInterpreter.expressionInterpreter,
    renderer: "canvas",
    container: place,
    hover: false,
    logLevel: vega.Error,
  });
  drawn.set(place, view);
  await view.runAsync();
  place.dataset.drawn = "yes";
}

async function drawAll() {
  const colours = look();
  for (const place of places) await draw(place, colours);
  document.documentElement.dataset.charts = "drawn";
}

document.addEventListener("theme", drawAll);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
drawAll();
