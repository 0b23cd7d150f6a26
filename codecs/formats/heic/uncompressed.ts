/**
 * Decodes HEIF images with uncompressed or deflated samples (ISO/IEC 23001-17:2024), which this build of libheif does
 * not support.
 */
import { brotliDecompressSync, inflateRawSync, inflateSync } from 'node:zlib';
import { type Bitmap, checkPixels } from '../../bitmap.ts';
import { corruptImage, unsupportedFormat } from '../../errors.ts';
import { type Item, type ItemMeta, propertyType } from '../../metadata/avif-items.ts';
import { concat, Reader } from '../../metadata/bytes.ts';
import { orient, uprightSize } from '../../orient.ts';
import { FORMATS } from '../registry.ts';
import { type Layout, parseLayout, ROLE } from './sample-layout.ts';

export interface Uncompressed {
  /** As stored. */
  width: number;
  height: number;
  layout: Layout;
  /** `zlib`, `defl` or `brot`; undefined for uncompressed samples. */
  compression: string | undefined;
  /** Rotations and mirrorings in order, as EXIF orientations. */
  turns: number[];
  data: Uint8Array[];
}

const name = FORMATS.heic.name;
/** EXIF orientations for the anticlockwise quarter turns of `irot` and the two axes of `imir`. */
const ROTATIONS = [1, 8, 3, 6];
const MIRRORS = [4, 2];
/** The minimum that zlib accepts. */
const MIN_CHUNK_BYTES = 64;

/** @throws Failure `corrupt_image`, `unsupported_format` */
export function openUncompressed(file: Uint8Array, meta: ItemMeta, item: Item): Uncompressed {
  const properties = (meta.associations.get(item.id) ?? []).map(({ property }) => property);
  const contents = (type: string) =>
    properties
      .filter((property) => propertyType(property) === type)
      .map((property) => new Reader(property.subarray(8), name));
  const [extents] = contents('ispe');
  const [configuration] = contents('uncC');
  const [components] = contents('cmpd');
  const [compression] = contents('cmpC');
  if (!extents || !configuration) throw corruptImage(name, 'no size or no layout');
  const source = new Reader(item.source === 'file' ? file : meta.idat, name);
  return {
    width: extents.u32(4),
    height: extents.u32(8),
    layout: parseLayout(configuration, components),
    compression: compression?.text(4, 4),
    turns: properties.flatMap((property) => {
      if (propertyType(property) === 'irot') return ROTATIONS[property[8]! & 3]!;
      return propertyType(property) === 'imir' ? MIRRORS[property[8]! & 1]! : [];
    }),
    data: item.extents.map(({ offset, length }) => source.slice(offset, length || source.length - offset)),
  };
}

export const uprightSizeOf = ({ width, height, turns }: Uncompressed): { width: number; height: number } =>
  turns.reduce(uprightSize, { width, height });

export const hasAlpha = ({ layout }: Uncompressed): boolean =>
  layout.components.some(({ role }) => role === ROLE.alpha);

/** @throws Failure `corrupt_image`, `image_too_large` */
export function decodeUncompressed(image: Uncompressed, maxPixels: number): Bitmap {
  const { width, height, layout, turns } = image;
  checkPixels(image, maxPixels);
  const { components, depth, planar, tileColumns, tileRows } = layout;
  if (width === 0 || height === 0 || width % tileColumns || height % tileRows) throw corruptImage(name, 'size');
  const sampleBytes = depth / 8;
  const samples = samplesOf(image, width * height * components.length * sampleBytes);
  const alpha = hasAlpha(image);
  const colours = components.filter(({ role }) => role !== ROLE.alpha && role !== ROLE.padding);
  const channels = (colours.length + (alpha ? 1 : 0)) as Bitmap['channels'];
  const deep = depth === 16;
  const data = deep ? new Uint16Array(width * height * channels) : new Uint8Array(width * height * channels);
  const view = new DataView(samples.buffer, samples.byteOffset, samples.byteLength);

  const tileWidth = width / tileColumns;
  const tileHeight = height / tileRows;
  const tilePixels = tileWidth * tileHeight;
  for (const [index, { role }] of components.entries()) {
    const channel = role === ROLE.alpha ? channels - 1 : layout.channelOf(role);
    if (channel === undefined) continue;
    const step = planar ? 1 : components.length;
    for (let y = 0; y < height; y++) {
      for (let tile = 0; tile < tileColumns; tile++) {
        const tileAt = (Math.floor(y / tileHeight) * tileColumns + tile) * tilePixels * components.length;
        let from = tileAt + (planar ? index * tilePixels : index) + (y % tileHeight) * tileWidth * step;
        let to = (y * width + tile * tileWidth) * channels + channel;
        for (let x = 0; x < tileWidth; x++, from += step, to += channels) {
          data[to] = deep ? view.getUint16(from * 2, layout.littleEndian) : samples[from]!;
        }
      }
    }
  }
  return turns.reduce<Bitmap>(orient, { data, width, height, channels });
}

/** @throws Failure `corrupt_image` when there are fewer than `length` bytes */
function samplesOf({ data, compression }: Uncompressed, length: number): Uint8Array {
  const stored = data.length === 1 ? data[0]! : concat(data);
  const samples = compression === undefined ? stored : inflate(stored, compression, length);
  if (samples.length < length) throw corruptImage(name, `${samples.length} bytes of samples instead of ${length}`);
  return samples;
}

function inflate(stored: Uint8Array, compression: string, length: number): Uint8Array {
  const expand = { zlib: inflateSync, defl: inflateRawSync, brot: brotliDecompressSync }[compression];
  if (!expand) throw unsupportedFormat(`a HEIF image compressed as ${compression}`);
  try {
    // One chunk for all data: zlib would keep small chunks beside the joined result, which doubles the memory.
    return expand(stored, { maxOutputLength: length + 1, chunkSize: Math.max(MIN_CHUNK_BYTES, length + 1) });
  } catch (error) {
    throw corruptImage(name, error);
  }
}
