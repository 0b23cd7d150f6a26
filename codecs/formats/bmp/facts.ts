/** Facts of Windows bitmaps. */
import { readDibHeader } from '../../dib.ts';
import type { FileFacts } from '../../facts/facts.ts';

const FILE_HEADER_BYTES = 14;
const BITS_OF_RGB = 24;

export function bmpFacts(bytes: Uint8Array): FileFacts {
  const dib = bytes.subarray(FILE_HEADER_BYTES);
  const header = readDibHeader(dib);
  if (!header) return { blocks: {} };
  const { bitsPerPixel, coding, palette, density, profile, masks } = header;
  const indexed = bitsPerPixel <= 8;
  const channels = masks?.alpha ? 4 : 3;
  return {
    blocks: {
      ...(density ? { density } : {}),
      ...(profile ? { icc: dib.slice(profile.at, profile.at + profile.bytes) } : {}),
    },
    colour: {
      model: 'rgb',
      channels,
      bitDepth: indexed ? bitsPerPixel : bitsPerPixel >= BITS_OF_RGB ? 8 : 5,
      ...(indexed ? { paletteColors: Math.min(palette.colours, 2 ** bitsPerPixel) } : {}),
      hdr: false,
    },
    coding: { lossless: coding !== 'jpeg', compression: coding === 'plain' ? 'none' : coding },
  };
}
