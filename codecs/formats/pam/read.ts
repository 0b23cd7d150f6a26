/**
 * Reads PAM, the portable arbitrary map (Netpbm, "pam(5)"), with any number of planes, any maximum level and any tuple
 * type.
 */
import type { Bitmap } from '../../bitmap.ts';
import { readBigEndian16 } from '../../legacy/rows.ts';
import { type StillHeader, stillFormat } from '../../legacy/still.ts';
import { latin1 } from '../../metadata/bytes.ts';

const MAGIC = /^P7\n/;
/** Maximum bytes of a header with comments, because a hostile file could contain any number. */
const MAX_HEADER_BYTES = 16_384;
const MAX_PLANES = 256;

interface PamHeader extends StillHeader {
  /** Samples of a pixel in the file. */
  planes: number;
  /** Samples of a pixel in the image. */
  channels: 1 | 2 | 3 | 4;
  cmyk: boolean;
  /** The maximum level, which is white. */
  top: number;
  pixelsAt: number;
}

/** Detects PAM. Safe on the main thread. XV thumbnails also start with `P7`. */
export const isPam = (bytes: Uint8Array): boolean => MAGIC.test(latin1(bytes.subarray(0, 3)));

function readHeader(bytes: Uint8Array): PamHeader | undefined {
  if (!isPam(bytes)) return undefined;
  const text = latin1(bytes.subarray(0, MAX_HEADER_BYTES));
  const end = /^ENDHDR[ \t\r]*\n/m.exec(text);
  if (!end) return undefined;
  const fields = new Map<string, string>();
  for (const line of text.slice(0, end.index).split('\n').slice(1)) {
    const [name, value] = line.trim().split(/\s+/, 2);
    if (name && value && !fields.has(name)) fields.set(name, value);
  }
  const number = (name: string) => (/^\d{1,9}$/.test(fields.get(name) ?? '') ? Number(fields.get(name)) : 0);
  const planes = number('DEPTH');
  const top = number('MAXVAL');
  if (planes < 1 || planes > MAX_PLANES || top < 1 || top > 0xffff) return undefined;
  return {
    width: number('WIDTH'),
    height: number('HEIGHT'),
    depth: top < 256 ? 8 : 16,
    planes,
    top,
    pixelsAt: end.index + end[0].length,
    ...meaning(planes, fields.get('TUPLTYPE') ?? ''),
  };
}

/** Determines what the planes mean by the name of their tuple type, or else by their number. */
function meaning(planes: number, type: string): Pick<PamHeader, 'channels' | 'cmyk' | 'hasAlpha'> {
  const hasAlpha = type ? type.endsWith('_ALPHA') : planes === 2 || planes === 4;
  const cmyk = type.startsWith('CMYK') && planes >= 4;
  if (cmyk) return { cmyk, hasAlpha: hasAlpha && planes >= 5, channels: hasAlpha && planes >= 5 ? 4 : 3 };
  const colours = type.startsWith('RGB') || (!/^(?:GRAYSCALE|BLACKANDWHITE)/.test(type) && planes >= 3) ? 3 : 1;
  if (planes < colours) return { cmyk, hasAlpha: planes === 2, channels: planes as 1 | 2 };
  const alpha = hasAlpha && planes > colours;
  return { cmyk, hasAlpha: alpha, channels: (alpha ? colours + 1 : colours) as 1 | 2 | 3 | 4 };
}

function readPixels(bytes: Uint8Array, header: PamHeader): Bitmap | undefined {
  const { width, height, planes, channels, top, pixelsAt, cmyk } = header;
  const bytesPerSample = top < 256 ? 1 : 2;
  const pixels = width * height;
  const present = Math.min(pixels, Math.floor((bytes.length - pixelsAt) / (planes * bytesPerSample)));
  if (present === 0) return undefined;
  const stored =
    bytesPerSample === 1
      ? bytes.subarray(pixelsAt, pixelsAt + present * planes)
      : readBigEndian16(bytes, pixelsAt, present * planes, present * planes);
  const data = bytesPerSample === 1 ? new Uint8Array(pixels * channels) : new Uint16Array(pixels * channels);
  const levels = levelsOf(top);
  const white = levels[top]!;
  for (let pixel = 0; pixel < present; pixel++) {
    const from = pixel * planes;
    const to = pixel * channels;
    if (cmyk) {
      const light = white - levels[stored[from + 3]!]!;
      for (let ink = 0; ink < 3; ink++) {
        data[to + ink] = Math.round(((white - levels[stored[from + ink]!]!) * light) / white);
      }
      if (channels === 4) data[to + 3] = levels[stored[from + 4]!]!;
    } else {
      for (let channel = 0; channel < channels; channel++) data[to + channel] = levels[stored[from + channel]!]!;
    }
  }
  return { data, width, height, channels, truncated: present < pixels, ...(cmyk ? { converted: true } : {}) };
}

/** Maps levels of the file to the whole range. Invalid levels above the maximum are white. */
function levelsOf(top: number): Uint8Array | Uint16Array {
  const white = top < 256 ? 0xff : 0xffff;
  const levels = top < 256 ? new Uint8Array(256) : new Uint16Array(0x10000);
  for (let level = 0; level < levels.length; level++) levels[level] = Math.round((Math.min(level, top) * white) / top);
  return levels;
}

export const still = stillFormat({ readHeader, readPixels });
