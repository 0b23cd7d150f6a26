/** Parses and formats sizes: kB and MB are 1000 and 1,000,000 bytes (docs/spec/shapes.md, section 3). */

const UNITS = new Map([
  ['', 1],
  ['b', 1],
  ['kb', 1e3],
  ['mb', 1e6],
  ['gb', 1e9],
  ['kib', 2 ** 10],
  ['mib', 2 ** 20],
  ['gib', 2 ** 30],
]);

const SIZE = /^([0-9]{1,12}(?:[.][0-9]{1,6})?) ?([a-z]{0,3})$/i;

export const SIZE_FORM = 'a size such as 200kB, 1.5MB or 512KiB';

/** @returns whole bytes; undefined if the text is not a size */
export function parseSize(text: string): number | undefined {
  const [, amount, unit = ''] = SIZE.exec(text) ?? [];
  const factor = UNITS.get(unit.toLowerCase());
  return amount === undefined || factor === undefined ? undefined : Math.round(Number(amount) * factor);
}

export const countText = (count: number, what: string): string =>
  `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
