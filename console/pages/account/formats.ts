import type { Format } from './records.ts';

/** Returns the formats whose names or extensions contain every word. Formats that can be written come first. */
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
