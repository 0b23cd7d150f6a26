/** The colours of an X pixmap: names and numbers for each kind of screen. */
import { x11Colour } from './x11-colours.ts';

/** The kinds of screens, best first: colour, grey, four greys, black and white. */
const VISUALS = ['c', 'g', 'g4', 'm'];
const OTHER_KEYS = ['s'];

/**
 * Reads the best colour of a key.
 * @param text pairs of a kind of screen and a colour, as they follow the key of the pixel
 * @returns 0xRRGGBB, -1 for transparent, undefined when no colour is readable
 */
export function readXpmColour(text: string): number | undefined {
  const found = new Map<string, string[]>();
  let words: string[] | undefined;
  for (const word of text.trim().split(/\s+/)) {
    // A colour name may have several words. A word directly after a kind of screen is always a name, even if it looks
    // like a kind.
    if ((VISUALS.includes(word) || OTHER_KEYS.includes(word)) && words?.length !== 0) {
      words = [];
      found.set(word, words);
    } else {
      words?.push(word);
    }
  }
  for (const visual of VISUALS) {
    const value = found.get(visual)?.join(' ');
    const colour = value && parseColour(value);
    if (typeof colour === 'number') return colour;
  }
  return undefined;
}

/** Parses `None`, a name, or `#` and one to four hexadecimal digits for each channel. */
function parseColour(value: string): number | undefined {
  if (value.toLowerCase() === 'none') return -1;
  const digits = /^#([0-9a-f]+)$/i.exec(value)?.[1];
  if (!digits) return x11Colour(value);
  const length = digits.length / 3;
  if (![1, 2, 3, 4].includes(length)) return undefined;
  const top = 16 ** length - 1;
  const channel = (index: number) =>
    Math.round((Number.parseInt(digits.slice(index * length, (index + 1) * length), 16) * 255) / top);
  return (channel(0) << 16) | (channel(1) << 8) | channel(2);
}
