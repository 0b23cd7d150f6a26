/** Formats sizes for people. */

const UNITS = ['kB', 'MB', 'GB', 'TB'];

/** `812 B`, `98.8 kB`: decimal units (1000 bytes), as for disks. */
export function bytesText(bytes: number): string {
  if (Math.abs(bytes) < 1000) return `${bytes} B`;
  const power = Math.min(UNITS.length, Math.floor(Math.log10(Math.abs(bytes)) / 3));
  return `${(bytes / 1000 ** power).toFixed(1)} ${UNITS[power - 1]}`;
}

/** By how many percent the second size is smaller, or larger. */
export function savingText(before: number, after: number): string {
  const percent = before === 0 ? 0 : (100 * (before - after)) / before;
  return `${Math.abs(percent).toFixed(1)}% ${after > before ? 'more' : 'less'}`;
}
