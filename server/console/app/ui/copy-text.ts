/**
 * Copies the text of an element. Where browsers offer no clipboard, on pages that came without TLS, it is selected and
 * copied as by hand.
 * @returns whether it is copied; if not, it is selected
 */
export async function copyTextOf(element: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(element.textContent ?? '');
    return true;
  } catch {
    getSelection()?.selectAllChildren(element);
    return document.execCommand('copy');
  }
}

/** What is said to it. */
export const copiedText = (isCopied: boolean): string => (isCopied ? 'Copied' : 'Selected, press Ctrl+C');
