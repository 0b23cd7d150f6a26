import type { Format } from './records.ts';

/** Those with every word in their names or endings, written ones first. */
export function formatsMatching<T extends Pick<Format, 'id' | 'name' | 'extensions' | 'write'>>(
  formats: readonly T[],
  wanted: string,
): T[] {
  const words = wanted
    .toLowerCase()
    .split(/[\s.,]+/)
    .filter(Boolean);
  return formats
    .filter(({ id, name, extensions }) => {
      const text = [id, name, ...extensions].join(' ').toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .sort((a, b) => Number(b.write) - Number(a.write) || a.name.localeCompare(b.name));
}
