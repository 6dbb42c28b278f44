// The colours of the map, for light and dark pages.

const GOLDEN = 0.618034;
const PEOPLE = [ // white can be read on each; neighbours differ in hue and in lightness
  "#c0392b", "#1f5fa8", "#2e7d4f", "#8e3fb0", "#b35400", "#0f7078", "#c2307f", "#5f6d0c", "#6d4127", "#3f47b5",
  "#8a6100", "#14543f", "#8c1244", "#46606e", "#7b4bd0", "#3b3f45",
];
const GROUND = {
  // grass, street, water, under trees, wall, floor, under hedges: as `Ground` of the town numbers them
  light: ["#cfe3b0", "#efe4cb", "#9ccbe4", "#cfe3b0", "#80766e", "#f3ede2", "#cfe3b0"],
  dark: ["#1f2a20", "#2e2c29", "#1c3a4a", "#1f2a20", "#67605a", "#2a2c2f", "#1f2a20"],
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
    tree: dark ? "#2f4a31" : "#7fae68",
    hedge: dark ? "#3d5c3c" : "#6b9a55",
    trunk: dark ? "#243825" : "#5f9150",
    room: (sector, nth) => hue(sector * GOLDEN, dark ? 0.22 : 0.42, dark ? [0.21, 0.25, 0.18, 0.28][nth % 4] : [0.88, 0.84, 0.91, 0.81][nth % 4]),
    thingInk: (sector) => hue(sector * GOLDEN, 0.3, dark ? 0.68 : 0.42),
    thing: (sector) => hue(sector * GOLDEN, 0.28, dark ? 0.36 : 0.74),
    plate: (sector) => hue(sector * GOLDEN, 0.3, dark ? 0.16 : 0.32),
    plateInk: "#ffffff",
    floor: dark ? "#2a2c2f" : "#ffffffb0",
    ink: dark ? "#d5dae0" : "#363432",
    halo: dark ? "#14181d" : "#ffffff",
    paper: dark ? "#14181d" : "#ffffff",
    line: dark ? "#6b7682" : "#7b8793",
    person: (number) => PEOPLE[number] ?? hue(0.02 + number * GOLDEN, 0.6, 0.32),
    personInk: "#ffffff",
    star: "#ffc83d",
    mark: colour("--mark", dark ? "#56b4e9" : "#0072b2"),
    good: dark ? "#4cc9a4" : "#00664d",
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
