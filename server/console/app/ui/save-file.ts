/** Saves a file by the browser's own means. The key goes with requests alone, so a link could not fetch it. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read it when the click is over, but not each of them at once.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
