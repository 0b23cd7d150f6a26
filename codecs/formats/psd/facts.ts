/** Facts of Photoshop documents (Adobe Photoshop File Formats Specification). */

import type { ColourFacts, FileFacts, PreviewFacts } from '../../facts/facts.ts';
import { Reader } from '../../metadata/bytes.ts';
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
export function mergedAt(reader: Reader): number {
  const large = reader.u16(4) === 2;
  const resourcesAt = 30 + reader.u32(26);
  const layersAt = resourcesAt + 4 + reader.u32(resourcesAt);
  return layersAt + (large ? 8 + reader.u64(layersAt) : 4 + reader.u32(layersAt));
}
