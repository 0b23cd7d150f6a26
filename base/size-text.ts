/** Sizes as people read them. */

const UNITS = ['kB', 'MB', 'GB', 'TB'];

/** `812 B`, `98.8 kB`: units of a thousand, as disks are sold. */
export function bytesText(bytes: number): string {
  if (Math.abs(bytes) < 1000) return `${bytes} B`;
  const power = Math.min(UNITS.length, Math.floor(Math.log10(Math.abs(bytes)) / 3));
  return `${(bytes / 1000 ** power).toFixed(1)} ${UNITS[power - 1]}`;
}

/** How much smaller the second is, or larger. */
export function savingText(before: number, after: number): string {
  const percent = before === 0 ? 0 : (100 * (before - after)) / before;
  return `${Math.abs(percent).toFixed(1)} % ${after > before ? 'more' : 'less'}`;
}
