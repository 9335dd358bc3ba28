// What the browser keeps for the reader, if it lets the page keep anything. A key is never among it.

export function keptText(slot) {
  try {
    return localStorage.getItem(slot);
  } catch {
    return null;
  }
}

// A list that is kept; empty if none is, or what is kept is not one.
export function keptList(slot) {
  try {
    const kept = JSON.parse(keptText(slot));
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

// False if the browser does not keep it.
export function keepText(slot, text) {
  try {
    localStorage.setItem(slot, text);
    return true;
  } catch {
    return false;
  }
}
