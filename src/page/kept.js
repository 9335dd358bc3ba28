// What the browser keeps for the reader, if it lets the page keep anything. A key is never among it.

export function keptText(slot) {
  try {
    return localStorage.getItem(slot);
  } catch {
    return null;
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
