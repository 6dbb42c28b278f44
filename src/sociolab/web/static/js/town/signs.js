// Small signs for what somebody does: one for each kind of furniture, for sleep and for talk. Drawn
// as lines in a box of 24, so that they need no font.

const LINES = {
  sleep: "M7 6h10L7 18h10",
  talk: "M4 5h16v10h-9l-4 4v-4H4zM8.500 10h.1M12 10h.1M15.500 10h.1",
  bed: "M3 6v13M3 16h18v3M21 16v-3a3 3 0 0 0-3-3H9v6M6 12.500h.1",
  cook: "M4 10h16v6a3 3 0 0 1-3 3H7a3 3 0 0 1-3-3zM2 12h2M20 12h2M9 7V4M15 7V4",
  eat: "M7 3v18M4 3v5a3 3 0 0 0 6 0V3M17 21V3c-3 2-3 7 0 10",
  drink: "M4 8h12v6a5 5 0 0 1-5 5H9a5 5 0 0 1-5-5zM16 9h2a2.500 2.500 0 0 1 0 5h-2M8 5V3M12 5V3",
  sit: "M6 3v10h12V3M6 13v8M18 13v8M6 8h12",
  read: "M12 6C9 4 6 4 3 5v14c3-1 6-1 9 1 3-2 6-2 9-1V5c-3-1-6-1-9 1zM12 6v14",
  write: "M4 20l1-5L16 4l4 4L9 19zM13.500 6.500l4 4",
  screen: "M3 4h18v12H3zM12 16v4M8 20h8",
  wash: "M12 3c4 5 6 8 6 11a6 6 0 0 1-12 0c0-3 2-6 6-11z",
  clothes: "M9 4l-6 4 2 4 2-1v9h10v-9l2 1 2-4-6-4a3 3 0 0 1-6 0z",
  music: "M9 18V5l11-2v13M9 18a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM20 16a3 3 0 1 1-6 0 3 3 0 0 1 6 0z",
  art: "M12 3a9 9 0 1 0 0 18c2 0 2-2 1-3s0-3 2-3h3c2 0 3-1 3-3 0-5-4-9-9-9zM8 10h.1M12 7.500h.1M16 10h.1",
  sport: "M3 9v6M6 6v12M18 6v12M21 9v6M6 12h12",
  play: "M4 4h16v16H4zM8.500 8.500h.1M15.500 8.500h.1M12 12h.1M8.500 15.500h.1M15.500 15.500h.1",
  shop: "M5 8h14l-1 13H6zM8.500 8V7a3.500 3.500 0 0 1 7 0v1",
  mend: "M20 6a5 5 0 0 1-7 6l-7 8-3-3 8-7a5 5 0 0 1 6-7l-3 3 1 2 2 1z",
  bake: "M4 20V11a4 4 0 0 1 2-7h12a4 4 0 0 1 2 7v9zM9 11v4M13 11v4",
  care: "M9 3h6v6h6v6h-6v6H9v-6H3V9h6z",
  science: "M9 3h6M10 3v7l-6 9a1.500 1.500 0 0 0 1 2h14a1.500 1.500 0 0 0 1-2l-6-9V3M7 15h10",
  teach: "M3 4h18v11H3zM7 8h7M7 11h4M8 21l4-6 4 6",
  outdoors: "M12 21v-7M12 14c-6 0-8-4-6-7 0-3 4-5 6-4 2-1 6 1 6 4 2 3 0 7-6 7z",
  meet: "M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM2 20c0-4 3-6 7-6s7 2 7 6M16 4.500a3.500 3.500 0 0 1 0 6.500M18 14.500c3 1 4 3 4 5.500",
};

const paths = new Map();

/** Draw a sign of `size` pixels around a point; nothing for a kind that has none. */
export function drawSign(pen, kind, left, top, size, colour) {
  if (!Object.hasOwn(LINES, kind)) return;
  let path = paths.get(kind);
  if (!path) paths.set(kind, path = new Path2D(LINES[kind]));
  const scale = size / 24;
  pen.save();
  pen.translate(left - size / 2, top - size / 2);
  pen.scale(scale, scale);
  pen.lineWidth = Math.max(1.9, 1.3 / scale);
  pen.lineCap = "round";
  pen.lineJoin = "round";
  pen.strokeStyle = colour;
  pen.stroke(path);
  pen.restore();
}
