/**
 * Detects screens of home computers, which have no signatures, by the file extension, their length and their
 * consistency. Safe on the main thread.
 */
import { FORMATS, type InputFormat } from '../formats/registry.ts';
import { isApple2 } from './apple2.ts';
import { isArtStudio } from './artstudio.ts';
import { isAtari8 } from './atari8.ts';
import { isDegas } from './degas.ts';
import { isDoodle } from './doodle.ts';
import { isKoala } from './koala.ts';
import { isMsx } from './msx.ts';
import { isNeochrome } from './neochrome.ts';
import { isSpectrum512 } from './spectrum512.ts';
import { isTiny } from './tiny.ts';
import { isZxScreen } from './zxscreen.ts';

type Matcher = (bytes: Uint8Array, extension: string) => boolean;

const MATCHERS: Partial<Record<InputFormat, Matcher>> = {
  degas: isDegas,
  neochrome: isNeochrome,
  spectrum512: isSpectrum512,
  tiny: isTiny,
  koala: isKoala,
  artstudio: isArtStudio,
  doodle: isDoodle,
  zxscreen: isZxScreen,
  msx: isMsx,
  apple2: isApple2,
  atari8: isAtari8,
};

/**
 * Detects the format of a screen.
 * @param extension in lower case, without the dot
 * @returns undefined for files that are not a known screen
 */
export function recogniseScreen(extension: string, bytes: Uint8Array): InputFormat | undefined {
  for (const [format, matches] of Object.entries(MATCHERS) as [InputFormat, Matcher][]) {
    if (FORMATS[format].extensions.includes(extension) && matches(bytes, extension)) return format;
  }
  return undefined;
}
