// The fields of one form together: what they send, and the marks of faults.

import { makeField } from "./field.js";
import { withLookup } from "./lookup.js";

const open = ({ node }) => {
  const group = node.closest("details");
  if (group) group.open = true;
};

// A field whose node is hidden is not sent.
export function makeFields(declared, changed, prefix) {
  const all = declared.map((field) => withLookup(makeField(field, changed, prefix))).map((field) => ({
    ...field,
    // Goes to the field, also in a group that is closed.
    go() {
      open(field);
      field.input.focus();
    },
  }));
  return {
    all,
    named: (name) => all.find((field) => field.name === name),
    write: (members) => all.forEach((field) => field.write(members[field.name])),
    // Nothing of a field that is left empty.
    payload: () => Object.fromEntries(all.filter(({ node }) => !node.hidden).map((field) => [field.name, field.value()]).filter(([, value]) => value !== undefined)),
    unmark: () => all.forEach((field) => field.unmark()),
    // Marks the faulty fields and goes to the first of them.
    mark(faults) {
      const marked = all.filter((field) => {
        const own = faults.filter(({ campo }) => campo === field.name || campo.startsWith(`${field.name}[`) || campo.startsWith(`${field.name}.`));
        field.unmark();
        if (own.length > 0) field.mark(own.map((fault) => field.sentence(fault)).join(" "));
        return own.length > 0;
      });
      marked.forEach(open);
      marked[0]?.input.focus();
      return marked.length > 0;
    },
  };
}
