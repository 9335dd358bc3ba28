// The answers that a part has shown, by the address of their case: Back shows them again, without another call.

import { put } from "./dom.js";

const MOST = 20;

const partOf = (address) => address.slice(1).split("?")[0] || "inicio";

// Of the part of that name, which shows its answers in `out`.
export function rememberAnswers(part, out) {
  const answers = new Map();
  let elsewhere = false;
  window.addEventListener("hashchange", () => { elsewhere ||= partOf(location.hash) !== part; });
  return {
    // Keeps what is shown as the answer to that case.
    keep(address) {
      answers.delete(address);
      answers.set(address, [...out.childNodes]);
      if (answers.size > MOST) answers.delete(answers.keys().next().value);
    },
    // Shows the answer to that case. False if none is kept.
    show(address) {
      const nodes = answers.get(address);
      if (nodes) put(out, nodes);
      return Boolean(nodes);
    },
    // Whether the reader was in another part since the last time.
    wasElsewhere() {
      const was = elsewhere;
      elsewhere = false;
      return was;
    },
  };
}
