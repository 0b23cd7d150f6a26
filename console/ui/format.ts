/** Formats numbers and times for display. */
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Formats bytes in decimal units, as file sizes and networks are usually given. */
export function bytesText(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${value.toFixed(power === 0 || value >= 100 ? 0 : 1)} ${UNITS[power]}`;
}

/** Returns the relative change, such as `−38%`. */
export function changeText(before: number, after: number): string {
  if (before === 0) return '';
  const percent = Math.round((after / before - 1) * 100);
  return `${percent > 0 ? '+' : percent < 0 ? '−' : '±'}${Math.abs(percent)}%`;
}

export const durationText = (milliseconds: number): string =>
  milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`;

const NUMBER = new Intl.NumberFormat('en');
export const countText = (count: number): string => NUMBER.format(count);

const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
/** @param time in ISO 8601 */
export const timeText = (time: string): string => DATE.format(new Date(time));
