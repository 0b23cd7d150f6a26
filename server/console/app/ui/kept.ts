/** What this browser keeps of the console. One that keeps nothing, as with blocked storage, has it until the page is left. */
type Area = 'localStorage' | 'sessionStorage';

export function readKept(name: string, area: Area = 'localStorage'): string | undefined {
  try {
    return window[area].getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** @param text undefined forgets it */
export function keep(name: string, text: string | undefined, area: Area = 'localStorage'): void {
  try {
    if (text === undefined) window[area].removeItem(name);
    else window[area].setItem(name, text);
  } catch {
    // Blocked or full: whoever keeps it has it in memory.
  }
}
