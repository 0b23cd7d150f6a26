/** Reads HEIF: HEVC and AV1 with libheif, which is part of ImageMagick; uncompressed samples with our own decoder. */
import { pageOutOfRange } from '../../errors.ts';
import type { FormatReader } from '../../format-reader.ts';

export { checkHeifItems as checkHeader } from '../../heif/items.ts';

import { magickReader } from '../../magick/read.ts';
import { parseMeta } from '../../metadata/avif-items.ts';
import { Reader } from '../../metadata/bytes.ts';
import { tryParse } from '../../metadata/damage.ts';
import { boxesOf } from '../../metadata/isobmff.ts';
import { FORMATS } from '../registry.ts';
import { decodeUncompressed, hasAlpha, openUncompressed, type Uncompressed, uprightSizeOf } from './uncompressed.ts';

const coded = magickReader('heic');

export const reader: FormatReader = {
  probe(bytes, request, context) {
    const image = uncompressed(bytes, request.page);
    if (!image) return coded.probe(bytes, request, context);
    const { depth } = image.layout;
    return { ...uprightSizeOf(image), pages: 1, depth, hasAlpha: hasAlpha(image) };
  },
  decode(bytes, request, context) {
    const image = uncompressed(bytes, request.page);
    if (!image) return coded.decode(bytes, request, context);
    return { bitmap: decodeUncompressed(image, request.maxPixels) };
  },
};

/** Returns the primary image if its samples are not compressed by a video codec. */
function uncompressed(bytes: Uint8Array, page: number): Uncompressed | undefined {
  const meta = tryParse(() => {
    const reader = new Reader(bytes, FORMATS.heic.name);
    const box = boxesOf(reader, 0, bytes.length).find(({ type }) => type === 'meta');
    return box && parseMeta(reader, box);
  });
  const item = meta?.items.find(({ id }) => id === meta.primary);
  if (!meta || item?.type !== 'unci') return undefined;
  if (page > 1) throw pageOutOfRange(page, 1);
  return openUncompressed(bytes, meta, item);
}
