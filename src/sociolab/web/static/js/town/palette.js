// The colours of the map, for light and dark pages.

const GOLDEN = 0.618034;
const GROUND = {
  // grass, street, water, under trees, wall, floor: as `Ground` of the town numbers them
  light: ["#e0e9d0", "#f0eadd", "#b2d1e0", "#e0e9d0", "#80766e", "#eeeae4"],
  dark: ["#1f2a20", "#2e2c29", "#1c3a4a", "#1f2a20", "#67605a", "#2a2c2f"],
};

/** Whether the page is dark now. */
export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export function palette(dark) {
  return {
    dark,
    ground: GROUND[dark ? "dark" : "light"],
    tree: dark ? "#2f4a31" : "#a4c094",
    room: (sector, nth) => hue(sector * GOLDEN, dark ? 0.22 : 0.42, dark ? [0.21, 0.25, 0.18, 0.28][nth % 4] : [0.88, 0.84, 0.91, 0.81][nth % 4]),
    thing: (sector) => hue(sector * GOLDEN, 0.28, dark ? 0.36 : 0.74),
    plate: (sector) => hue(sector * GOLDEN, 0.3, dark ? 0.16 : 0.32),
    plateInk: "#ffffff",
    ink: dark ? "#d5dae0" : "#363432",
    halo: dark ? "#14181d" : "#ffffff",
    paper: dark ? "#14181d" : "#ffffff",
    line: dark ? "#6b7682" : "#7b8793",
    person: (number) => hue(0.02 + number * GOLDEN, 0.55, dark ? 0.74 : 0.3),
    personInk: dark ? "#0b1116" : "#ffffff",
    mark: colour("--mark", dark ? "#56b4e9" : "#0072b2"),
    good: dark ? "#4cc9a4" : "#00664d",
    warn: dark ? "#e5d34a" : "#8a6d00",
  };
}

function colour(name, otherwise) {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color || otherwise;
  probe.remove();
  return found;
}

const hue = (turn, strength, light) => `hsl(${Math.round((turn % 1) * 360)} ${Math.round(strength * 100)}% ${Math.round(light * 100)}%)`;
