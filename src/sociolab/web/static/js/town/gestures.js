// Moving and zooming the map by mouse, fingers and keys; a tap that moved nothing is a choice.
// `named` tells what is under the pointer. `moved` is told whether the map was moved to somewhere else, or only zoomed.

const STEP = 60, WHEEL = 0.0016, CLICK = 5;

export function gestures(canvas, camera, { moved, chosen, named }) {
  const fingers = new Map();
  let travelled = 0;

  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const [left, top] = at(event);
    const lines = event.deltaMode === 1 ? 16 : 1;
    camera.zoom(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 6 : 1) * WHEEL), left, top);
    moved(false);
  }, { passive: false });

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    if (!fingers.size) travelled = 0;
    fingers.set(event.pointerId, at(event));
  });

  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) {
      canvas.title = named(...at(event));
      return;
    }
    const now = at(event);
    const pinched = fingers.size === 2;
    if (pinched) pinch(event.pointerId, before, now);
    else camera.pan(before[0] - now[0], before[1] - now[1]);
    travelled += Math.hypot(now[0] - before[0], now[1] - before[1]);
    fingers.set(event.pointerId, now);
    if (travelled > CLICK) moved(!pinched);
  });

  function pinch(id, before, now) {
    const [, other] = [...fingers].find(([one]) => one !== id);
    const apart = Math.hypot(before[0] - other[0], before[1] - other[1]);
    const wider = Math.hypot(now[0] - other[0], now[1] - other[1]);
    if (apart > 0) camera.zoom(wider / apart, (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
    camera.pan((before[0] - now[0]) / 2, (before[1] - now[1]) / 2);
  }

  canvas.addEventListener("pointerup", (event) => {
    const one = fingers.size === 1 && fingers.has(event.pointerId);
    fingers.delete(event.pointerId);
    if (one && travelled <= CLICK) chosen(...at(event));
  });
  canvas.addEventListener("pointercancel", (event) => fingers.delete(event.pointerId));

  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const moves = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] };
    const move = moves[event.key];
    if (move) camera.pan(...move);
    else if (event.key === "+" || event.key === "=") camera.zoom(1.25);
    else if (event.key === "-") camera.zoom(0.8);
    else if (event.key === "0") camera.showAll();
    else return;
    event.preventDefault();
    event.stopPropagation();
    moved(Boolean(move) || event.key === "0");
  });
}
