/**
 * Saves a file through the browser's download. A link to the service would not work, because it cannot send the key.
 */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Not all browsers have started to read the file when the click returns.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
