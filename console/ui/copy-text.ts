/**
 * Copies the text of an element. On pages loaded without TLS, browsers offer no clipboard API. There the text is
 * selected and copied with `execCommand`.
 * @returns whether the text was copied; if not, it is selected
 */
export async function copyElementText(element: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(element.textContent ?? '');
    return true;
  } catch {
    getSelection()?.selectAllChildren(element);
    return document.execCommand('copy');
  }
}

/** Returns the message to show after a copy. */
export const copyMessage = (isCopied: boolean): string => (isCopied ? 'Copied' : 'Selected, press Ctrl+C');
