/** Facts of HEIF files with images coded as AV1 or HEVC (ISO/IEC 23008-12, 14496-15, AV1-ISOBMFF). */
import type { CodePoints } from '../code-points.ts';
import { itemData, metaOf, read } from '../metadata/avif.ts';
import { auxiliaryType, gainMapItems } from '../metadata/avif-gain-map.ts';
import { type ItemMeta, parseMeta, propertyType } from '../metadata/avif-items.ts';
import { Reader } from '../metadata/bytes.ts';
import { collectUntilDamage, tryParse } from '../metadata/damage.ts';
import { type Box, boxesOf, presentBoxes } from '../metadata/isobmff.ts';
import { type Cicp, isHighDynamicRange, spaceOfCicp } from '../tags/icc.ts';
import type { CodingFacts, ColourFacts, FileFacts, GainMapFacts, PreviewFacts, Stored } from './facts.ts';
import { appleHeadroom, isoParameters } from './gain-map.ts';
import { hasContentCredentials } from './isobmff.ts';
import { subsamplingOf } from './jpeg-frame.ts';

/** Bytes in front of a property's content: size and type, and for a full box also version and flags. */
const BOX = 8;
const FULL_BOX = 12;

const DERIVED = 'dimg';
const THUMBNAIL = 'thmb';
const AUXILIARY = 'auxl';
/** Alpha planes, by the names in the different specifications. */
const ALPHA = /:auxiliary:alpha|:auxid:1(\0|$)/;

const CODINGS: Readonly<Record<string, string>> = {
  av01: 'av1',
  avc1: 'avc',
  hvc1: 'hevc',
  hev1: 'hevc',
  j2k1: 'jpeg2000',
  jpeg: 'jpeg',
  unci: 'uncompressed',
  vvc1: 'vvc',
};

/** @param page details are read only for the primary image, page 1 */
export function heifFacts(bytes: Uint8Array, page: number): FileFacts {
  const facts: FileFacts = { blocks: read(bytes) };
  return collectUntilDamage(facts, () => {
    const reader = new Reader(bytes, 'heif');
    const boxes = presentBoxes(reader);
    facts.c2pa = hasContentCredentials(reader, boxes);
    const motion = motionOf(reader, boxes);
    if (motion) facts.motion = motion;
    if (page > 1) return;
    const image = new HeifImage(parseMeta(reader, metaOf(reader, boxes)));
    facts.colour = image.colour();
    facts.coding = image.coding();
    facts.stored = image.stored();
    const gainMap = image.gainMap(reader);
    if (gainMap) facts.gainMap = gainMap;
    const preview = image.preview();
    if (preview) facts.preview = preview;
  });
}

/** Returns the code points of the primary image. A profile applies instead of them (ISO/IEC 14496-12, 12.1.5). */
export function heifCodePoints(bytes: Uint8Array): CodePoints | undefined {
  return tryParse(() => {
    const reader = new Reader(bytes, 'heif');
    return new HeifImage(parseMeta(reader, metaOf(reader, presentBoxes(reader)))).codePoints();
  });
}

const TRACK_PATH = ['moov', 'trak', 'mdia'];
const SAMPLE_PATH = ['minf', 'stbl', 'stsz'];

/**
 * Reads the number of frames and the duration of an image sequence from its first track (ISO/IEC 14496-12, 8.4.2 and
 * 8.7.3).
 */
function motionOf(reader: Reader, boxes: readonly Box[]): FileFacts['motion'] {
  const media = follow(reader, boxes, TRACK_PATH);
  if (!media) return undefined;
  const inside = boxesOf(reader, media.contentStart, media.end);
  const header = inside.find(({ type }) => type === 'mdhd')?.contentStart;
  const samples = follow(reader, inside, SAMPLE_PATH)?.contentStart;
  if (header === undefined || samples === undefined) return undefined;
  const wide = reader.u8(header) === 1;
  const timescale = reader.u32(header + (wide ? 20 : 12));
  const duration = wide ? reader.u64(header + 24) : reader.u32(header + 16);
  if (timescale === 0) return undefined;
  return { frames: reader.u32(samples + 8), durationMs: (1000 * duration) / timescale };
}

/** Returns the first box at the end of a path of nested boxes. @throws Failure `corrupt_image` */
function follow(reader: Reader, boxes: readonly Box[], path: readonly string[]): Box | undefined {
  let level = boxes;
  let found: Box | undefined;
  for (const name of path) {
    found = level.find(({ type }) => type === name);
    if (!found) return undefined;
    // The last one may be a full box, which holds no boxes.
    if (name !== path.at(-1)) level = boxesOf(reader, found.contentStart, found.end);
  }
  return found;
}

class HeifImage {
  readonly #meta: ItemMeta;

  constructor(meta: ItemMeta) {
    this.#meta = meta;
  }

  colour(): ColourFacts {
    const { primary, references } = this.#meta;
    const cicp = this.#cicp(primary);
    const space = cicp && spaceOfCicp(cicp);
    const coded = this.#codedItem();
    const configuration = this.#configuration(coded);
    const auxiliaries = references.filter(({ type, to }) => type === AUXILIARY && to.includes(primary));
    const alpha = auxiliaries.some(({ from }) =>
      (this.#meta.associations.get(from) ?? []).some(({ property }) => ALPHA.test(auxiliaryType(property))),
    );
    const bitDepth = configuration?.bitDepth ?? this.#pixelDepth(coded);
    const gray = configuration?.monochrome === true;
    return {
      ...(configuration ? { model: gray ? 'gray' : 'rgb', channels: (gray ? 1 : 3) + (alpha ? 1 : 0) } : {}),
      ...(space ? { space } : {}),
      ...(bitDepth ? { bitDepth } : {}),
      hdr: gainMapItems(this.#meta) !== undefined || (cicp !== undefined && isHighDynamicRange(cicp.transfer)),
    };
  }

  codePoints(): CodePoints | undefined {
    const { primary } = this.#meta;
    const coded = this.#codedItem();
    if (this.#hasProfile(primary) || this.#hasProfile(coded)) return undefined;
    const cicp = this.#cicp(primary) ?? this.#cicp(coded);
    const [levels] = this.#properties(primary, 'clli');
    return cicp && { ...cicp, ...(levels ? { maxLight: levels.u16(BOX) } : {}) };
  }

  #hasProfile(item: number): boolean {
    return this.#properties(item, 'colr').some((reader) => reader.text(BOX, 4) !== 'nclx');
  }

  coding(): CodingFacts {
    const coded = this.#codedItem();
    const type = this.#meta.items.find(({ id }) => id === coded)?.type ?? '';
    const compression = CODINGS[type];
    const chroma = this.#configuration(coded)?.chroma;
    return { ...(compression ? { compression } : {}), ...(chroma ? { chromaSubsampling: chroma } : {}) };
  }

  /** Returns the size of the primary image as stored, and its rotations and mirrorings as an EXIF orientation. */
  stored(): Stored {
    const size = this.#sizeOf(this.#meta.primary);
    return { ...(size ? { size } : {}), orientation: this.#orientation() };
  }

  preview(): PreviewFacts | undefined {
    const { primary, references, items } = this.#meta;
    const reference = references.find(({ type, to }) => type === THUMBNAIL && to.includes(primary));
    const item = items.find(({ id }) => id === reference?.from);
    if (!item) return undefined;
    const bytes = item.extents.reduce((sum, { length }) => sum + length, 0);
    const size = this.#sizeOf(item.id);
    return { width: size?.width ?? null, height: size?.height ?? null, bytes, format: CODINGS[item.type] ?? item.type };
  }

  /** @param reader of the file */
  gainMap(reader: Reader): GainMapFacts | undefined {
    const found = gainMapItems(this.#meta);
    if (!found) return undefined;
    const { standard, map, description } = found;
    const size = map && this.#sizeOf(map.id);
    const monochrome = map && this.#configuration(this.#tilesOf(map.id)[0]!)?.monochrome;
    const data = description && tryParse(() => itemData(reader, this.#meta, description));
    // In front of the metadata is the version of the item.
    const parameters = standard === 'iso_21496_1' && data && tryParse(() => isoParameters(data.subarray(1)));
    const headroom = standard === 'apple' && data ? appleHeadroom(data) : undefined;
    return {
      standards: [standard],
      ...(size ? { width: size.width, height: size.height } : {}),
      ...(monochrome === undefined ? {} : { channels: monochrome ? 1 : 3 }),
      ...(map ? { bytes: this.#bytesOf(map.id) } : {}),
      ...(parameters ? { parameters } : {}),
      ...(headroom === undefined ? {} : { headroom }),
    };
  }

  #bytesOf(item: number): number {
    const coded = new Set(this.#tilesOf(item));
    const extents = this.#meta.items.filter(({ id }) => coded.has(id)).flatMap((found) => found.extents);
    return extents.reduce((sum, { length }) => sum + length, 0);
  }

  /** Returns the item with the coded samples; for a grid, its first tile. */
  #codedItem(): number {
    return this.#tilesOf(this.#meta.primary)[0]!;
  }

  /** Returns the items with the coded samples of an image: itself, or the tiles of a grid. */
  #tilesOf(item: number): readonly number[] {
    const tiles = this.#meta.references.find(({ type, from }) => type === DERIVED && from === item)?.to ?? [];
    return tiles.length > 0 ? tiles : [item];
  }

  #properties(item: number, name: string): Reader[] {
    return (this.#meta.associations.get(item) ?? [])
      .filter(({ property }) => propertyType(property) === name)
      .map(({ property }) => new Reader(property, 'heif'));
  }

  #sizeOf(item: number): { width: number; height: number } | undefined {
    const [extent] = this.#properties(item, 'ispe');
    return extent && { width: extent.u32(FULL_BOX), height: extent.u32(FULL_BOX + 4) };
  }

  #cicp(item: number): Cicp | undefined {
    const colour = this.#properties(item, 'colr').find((reader) => reader.text(BOX, 4) === 'nclx');
    return colour && { primaries: colour.u16(BOX + 4), transfer: colour.u16(BOX + 6) };
  }

  #pixelDepth(item: number): number | undefined {
    const [pixel] = this.#properties(item, 'pixi');
    return pixel && pixel.u8(FULL_BOX) > 0 ? pixel.u8(FULL_BOX + 1) : undefined;
  }

  /** Reads the decoder configuration: av1C (AV1-ISOBMFF, 2.3) or hvcC (ISO/IEC 14496-15, 8.3.3.1). */
  #configuration(item: number): { bitDepth: number; monochrome: boolean; chroma?: string | undefined } | undefined {
    const [av1] = this.#properties(item, 'av1C');
    if (av1) {
      const flags = av1.u8(BOX + 2);
      const bit = (number: number) => (flags >> number) & 1;
      const bitDepth = bit(6) ? (bit(5) ? 12 : 10) : 8;
      if (bit(4)) return { bitDepth, monochrome: true };
      return { bitDepth, monochrome: false, chroma: subsamplingOf(1 + bit(3), 1 + bit(2)) };
    }
    const [hevc] = this.#properties(item, 'hvcC');
    if (!hevc) return undefined;
    const format = hevc.u8(BOX + 16) & 3;
    const bitDepth = 8 + (hevc.u8(BOX + 17) & 7);
    if (format === 0) return { bitDepth, monochrome: true };
    return { bitDepth, monochrome: false, chroma: subsamplingOf(format === 3 ? 1 : 2, format === 1 ? 2 : 1) };
  }

  /** Combines rotations and mirrorings in the order in which they are applied. */
  #orientation(): number {
    let [a, b, c, d] = [1, 0, 0, 1];
    for (const { property } of this.#meta.associations.get(this.#meta.primary) ?? []) {
      const type = propertyType(property);
      const value = property[BOX] ?? 0;
      if (type === 'irot') for (let turn = value & 3; turn > 0; turn -= 1) [a, b, c, d] = [c, d, -a, -b];
      else if (type === 'imir' && (value & 1) === 1) [a, b] = [-a, -b];
      else if (type === 'imir') [c, d] = [-c, -d];
    }
    return ORIENTATIONS[[a, b, c, d].map((value) => value + 0).join()] ?? 1;
  }
}

/** EXIF orientations by the matrix from the stored to the displayed image. */
const ORIENTATIONS: Readonly<Record<string, number>> = {
  '1,0,0,1': 1,
  '-1,0,0,1': 2,
  '-1,0,0,-1': 3,
  '1,0,0,-1': 4,
  '0,1,1,0': 5,
  '0,-1,1,0': 6,
  '0,-1,-1,0': 7,
  '0,1,-1,0': 8,
};
