/**
 * Browsers replace frame times up to this by the default (Blink, Gecko and WebKit alike, for GIF and WebP). In
 * milliseconds.
 */
const MAX_UNTIMED_DELAY_MS = 10;
/** The browsers' default frame time; also the time of a still image. In milliseconds. */
export const DEFAULT_DELAY_MS = 100;

/** The frame times as browsers play them. @param stored milliseconds, as in the file */
export const playedDelays = (stored: readonly number[]): number[] =>
  stored.map((delay) => (delay <= MAX_UNTIMED_DELAY_MS ? DEFAULT_DELAY_MS : delay));
