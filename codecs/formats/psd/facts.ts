/** Facts of Photoshop documents (Adobe Photoshop File Formats Specification). */

import type { ColourFacts, FileFacts, PreviewFacts } from '../../facts/facts.ts';
import { bufferOf, type Range, Reader } from '../../metadata/bytes.ts';
import { collectUntilDamage } from '../../metadata/damage.ts';
import { readExif } from '../../metadata/exif.ts';
import { RESOURCE, read, resourcesOf } from './metadata.ts';

/** Colour models by the header's colour mode. */
const MODELS: Readonly<Record<number, NonNullable<ColourFacts['model']>>> = {
  0: 'gray',
  1: 'gray',
  2: 'rgb',
  3: 'rgb',
  4: 'cmyk',
  8: 'gray',
  9: 'lab',
};
const INDEXED = 2;
const PALETTE_COLORS = 256;
const RGB = 3;
const FLOATING_BITS = 32;
/** How the merged image is compressed. */
const COMPRESSIONS = ['none', 'packbits', 'zip', 'zip_prediction'] as const;
const JPEG_THUMBNAIL = 1;
const THUMBNAIL_HEADER = 28;

export function psdFacts(bytes: Uint8Array): FileFacts {
  const blocks = read(bytes);
  const facts: FileFacts = { blocks };
  return collectUntilDamage(facts, () => {
    const reader = new Reader(bytes, 'psd');
    const orientation = blocks.exif ? readExif(blocks.exif).orientation : 1;
    facts.stored = { size: { width: reader.u32(18), height: reader.u32(14) }, orientation };
    const [channels, bitDepth, mode] = [reader.u16(12), reader.u16(22), reader.u16(24)];
    const model = MODELS[mode];
    facts.colour = {
      ...(model ? { model } : {}),
      channels: mode === INDEXED ? 3 : channels,
      bitDepth,
      ...(mode === INDEXED ? { paletteColors: PALETTE_COLORS } : {}),
      hdr: bitDepth === FLOATING_BITS && mode === RGB,
    };
    for (const { id, data } of resourcesOf(bytes)) {
      if (id === RESOURCE.thumbnail && data.length > THUMBNAIL_HEADER) facts.preview = thumbnailOf(data);
    }
    facts.coding = { lossless: true };
    const compression = COMPRESSIONS[reader.u16(mergedAt(reader)) as 0 | 1 | 2 | 3];
    if (compression) facts.coding.compression = compression;
  });
}

/** Reads a thumbnail (Adobe Photoshop File Formats Specification, "Thumbnail resource format"). */
function thumbnailOf(data: Uint8Array): PreviewFacts {
  const reader = new Reader(data, 'psd');
  const format = reader.u32(0) === JPEG_THUMBNAIL ? 'jpeg' : 'rgb';
  return { width: reader.u32(4), height: reader.u32(8), bytes: data.length - THUMBNAIL_HEADER, format };
}

/**
 * Returns the offset of the merged image, behind the palette, the resources and the layers, whose length takes eight
 * bytes in large documents.
 */
export const mergedAt = (reader: Reader): number => layersOf(reader).end;

/** Bytes of the lengths of sections with layers. Those of large documents take eight. */
const lengthBytesOf = (reader: Reader): 4 | 8 => (reader.u16(4) === 2 ? 8 : 4);

/** Returns the range of "Layer and Mask Information". */
function layersOf(reader: Reader): Range {
  const resourcesAt = 30 + reader.u32(26);
  const layersAt = resourcesAt + 4 + reader.u32(resourcesAt);
  const lengthBytes = lengthBytesOf(reader);
  const start = layersAt + lengthBytes;
  return { start, end: start + (lengthBytes === 8 ? reader.u64(layersAt) : reader.u32(layersAt)) };
}

/** Blocks that contain the layers of 16 bits, and that say that the merged image has transparency. */
const DEEP_LAYERS = '8BIMLr16';
const MERGED_TRANSPARENCY = '8BIMMt16';

/**
 * Whether the first channel behind the colours of the merged image is its transparency: the number of layers is then
 * negative. Documents of 16 bits have their layers in a block of their own.
 */
export function hasMergedTransparency(reader: Reader): boolean {
  const { start, end } = layersOf(reader);
  const lengthBytes = lengthBytesOf(reader);
  if (end - start < lengthBytes + 2) return false;
  const isNegative = (at: number) => reader.u16(at) >= 0x8000;
  const length = lengthBytes === 8 ? reader.u64(start) : reader.u32(start);
  if (length > 0) return isNegative(start + lengthBytes);
  const section = bufferOf(reader.slice(start, end - start));
  if (section.includes(MERGED_TRANSPARENCY, 0, 'latin1')) return true;
  const block = section.indexOf(DEEP_LAYERS, 0, 'latin1');
  return block !== -1 && isNegative(start + block + DEEP_LAYERS.length + lengthBytes);
}
