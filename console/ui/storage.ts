/** Stores values in this browser. If the browser's storage is blocked, values only last until the page is left. */
type Area = 'localStorage' | 'sessionStorage';

export function readStored(name: string, area: Area = 'localStorage'): string | undefined {
  try {
    return window[area].getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** @param text undefined removes the value */
export function store(name: string, text: string | undefined, area: Area = 'localStorage'): void {
  try {
    if (text === undefined) window[area].removeItem(name);
    else window[area].setItem(name, text);
  } catch {
    // Storage is blocked or full. Callers also hold the value in memory.
  }
}
