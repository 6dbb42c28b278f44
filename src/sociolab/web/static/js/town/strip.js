// The strip over the slider: where days begin, when the event is, and when it was talked of.

const NS = "http://www.w3.org/2000/svg";

export function drawStrip(svg, days, replay) {
  const { steps, aDay } = replay.clock;
  svg.setAttribute("viewBox", `0 0 ${steps} 100`);
  const add = (name, className, properties) => {
    const made = document.createElementNS(NS, name);
    made.setAttribute("class", className);
    for (const [key, value] of Object.entries(properties)) made.setAttribute(key, value);
    svg.append(made);
  };
  const thin = steps / 700;
  const [start, end] = replay.task.window;
  for (let day = 0; day * aDay < steps; day += 1) {
    if (day) add("rect", "midnight", { x: day * aDay - thin / 2, y: 0, width: thin, height: 100 });
    for (const hour of [6, 12, 18]) {
      const x = day * aDay + (hour / 24) * aDay;
      if (x < steps) add("rect", "hour", { x: x - thin / 2, y: 70, width: thin, height: 30 });
    }
  }
  if (start < steps) add("rect", "event", { x: start, y: 8, width: Math.max(thin, Math.min(end, steps) - start), height: 92 });
  for (const talk of replay.talks) {
    if (talk.about) add("rect", "about", { x: talk.step - thin / 2, y: 0, width: thin * 1.4, height: 45 });
  }
  replay.clock.days.forEach((name, day) => {
    const label = document.createElement("span");
    label.textContent = name.replace(/ \d{4}$/, "");
    label.style.left = `${(100 * day * aDay) / steps}%`;
    days.append(label);
  });
}
