// What the page asks of the server: state, changes, and the socket that says when to look again.

import { read, send } from "../app.js";

export const look = async (address) => read(await fetch(`${address}/state`, { headers: { Accept: "application/json" } }));

export const change = (address, what, value) => send(`${address}/${what}`, value ?? {});

const FIRST = 500, LONGEST = 10_000;

/** Calls `changed` whenever the server says so; connects again, ever more slowly, when it is cut
 * off. `told(up)` says whether the socket is up. Returns a function that ends it. */
export function listen(address, changed, told) {
  const url = new URL(`${address}/socket`, location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  let pause = FIRST, over = false, socket = null, timer = 0;
  const connect = () => {
    socket = new WebSocket(url);
    socket.onopen = () => { pause = FIRST; told(true); changed(); };
    socket.onmessage = changed;
    socket.onclose = () => {
      if (over) return;
      told(false);
      // Not all at once: everybody was cut off in the same moment.
      timer = setTimeout(connect, pause * (0.5 + Math.random()));
      pause = Math.min(pause * 2, LONGEST);
    };
  };
  connect();
  return () => { over = true; clearTimeout(timer); socket.close(); };
}
