/**
 * Reads what a file records about its image beyond the header needed for decoding. Loads no WebAssembly and never
 * throws.
 */
import type { FormatId } from '../formats.ts';
import { readExif } from '../metadata/exif.ts';
import { openExifSections } from '../tags/exif-tags.ts';
import { bmpFacts } from './bmp.ts';
import type { FileFacts } from './facts.ts';
import { gifFacts } from './gif.ts';
import { heifFacts } from './heif.ts';
import { jp2Facts } from './jp2.ts';
import { jpegFacts } from './jpeg.ts';
import { jxlFacts } from './jxl.ts';
import { packetFacts } from './packet.ts';
import { pngFacts } from './png.ts';
import { psdFacts } from './psd.ts';
import { rawFacts } from './raw.ts';
import { previewOf, tiffFacts } from './tiff.ts';
import { webpFacts } from './webp.ts';

const FACTS: Readonly<Partial<Record<FormatId, (bytes: Uint8Array, page: number) => FileFacts>>> = {
  avif: heifFacts,
  bmp: bmpFacts,
  exr: highDynamicRange,
  gif: gifFacts,
  hdr: highDynamicRange,
  heic: heifFacts,
  jp2: jp2Facts,
  jpeg: jpegFacts,
  jxl: jxlFacts,
  pdf: packetFacts,
  png: pngFacts,
  psd: psdFacts,
  raw: rawFacts,
  svg: packetFacts,
  tiff: tiffFacts,
  webp: webpFacts,
};

/** Returns the facts of formats made for high dynamic range. */
function highDynamicRange(): FileFacts {
  return { blocks: {}, colour: { hdr: true } };
}

/** @param page counted from 1 */
export function readFacts(format: FormatId, bytes: Uint8Array, page: number): FileFacts {
  const facts = FACTS[format]?.(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), page) ?? {
    blocks: {},
  };
  const { blocks } = facts;
  const exif = facts.exif ?? (blocks.exif ? openExifSections(blocks.exif) : undefined);
  const preview = (exif?.thumbnail && previewOf(exif.thumbnail)) ?? facts.preview;
  const density = blocks.density ?? (blocks.exif && readExif(blocks.exif).density);
  return {
    ...facts,
    ...(exif ? { exif } : {}),
    ...(preview ? { preview } : {}),
    ...(density ? { density } : {}),
  };
}
