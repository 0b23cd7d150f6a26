/** AVIF and HEIF: grids that repeat one tile, overlays, a huge number of items, sizes without data. */
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { Reader } from '../../codecs/metadata/bytes.ts';
import { box, boxesOf, fullBox } from '../../codecs/metadata/isobmff.ts';
import { type Bomb, bombs } from './bomb.ts';
import { be16, be32, repeat, text, u8, zlibZeros } from './bytes.ts';

interface Item {
  type: string;
  data: Uint8Array;
  /** Numbers of its properties, starting at 1. */
  properties: readonly number[];
  /** The items from which it is derived. */
  from?: readonly number[];
}

/** Writes a file of items; the first one is the primary image. */
function heif(brand: string, properties: readonly Uint8Array[], items: readonly Item[]): Buffer {
  const data = Buffer.concat(items.map((item) => item.data));
  const locations = (start: number) => {
    let at = start;
    return items.flatMap((item, index) => {
      const entry = Buffer.concat([be16(index + 1, 0, 1), be32(at, item.data.length)]);
      at += item.data.length;
      return entry;
    });
  };
  // Version 1 of the references has 32 bits for an item, but their count has 16.
  const references = items.flatMap(({ from }, index) =>
    from ? [box('dimg', be16(index + 1, from.length), be16(...from))] : [],
  );
  const meta = (start: number) =>
    fullBox(
      'meta',
      0,
      0,
      fullBox('hdlr', 0, 0, be32(0), text('pict'), be32(0, 0, 0), u8(0)),
      fullBox('pitm', 0, 0, be16(1)),
      fullBox('iloc', 0, 0, u8(0x44, 0), be16(items.length), ...locations(start)),
      fullBox(
        'iinf',
        0,
        0,
        be16(items.length),
        ...items.map(({ type }, index) => fullBox('infe', 2, 0, be16(index + 1, 0), text(type), u8(0))),
      ),
      box(
        'iprp',
        box('ipco', ...properties),
        fullBox(
          'ipma',
          0,
          0,
          be32(items.length),
          ...items.map((item, index) =>
            Buffer.concat([be16(index + 1), u8(item.properties.length, ...item.properties)]),
          ),
        ),
      ),
      ...(references.length > 0 ? [fullBox('iref', 0, 0, ...references)] : []),
    );
  const start = box('ftyp', text(brand), be32(0), text(brand), text('mif1'));
  const at = start.length + meta(0).length + 8;
  return Buffer.concat([start, meta(at), box('mdat', data)]);
}

const size = (width: number, height: number): Uint8Array => fullBox('ispe', 0, 0, be32(width, height));
const CHANNELS = fullBox('pixi', 0, 0, u8(3, 8, 8, 8));
const TILE = 1000;

interface Coded {
  configuration: Uint8Array;
  data: Uint8Array;
}

let tile: Promise<Coded> | undefined;

/** Returns one AV1 image, taken from a file that libavif wrote. */
function codedTile(): Promise<Coded> {
  tile ??= (async () => {
    const file = await sharp({ create: { width: TILE, height: TILE, channels: 3, background: 'teal' } })
      .avif({ effort: 0 })
      .toBuffer();
    const configurationAt = file.indexOf('av1C') - 4;
    const configuration = file.subarray(configurationAt, configurationAt + file.readUInt32BE(configurationAt));
    const { contentStart, end } = boxesOf(new Reader(file, 'AVIF'), 0, file.length).find(
      ({ type }) => type === 'mdat',
    )!;
    return { configuration, data: file.subarray(contentStart, end) };
  })();
  return tile;
}

/** Returns the content of a grid item. */
const gridOf = (columns: number, rows: number, width: number, height: number): Buffer =>
  Buffer.concat([u8(0, 1, rows - 1, columns - 1), be32(width, height)]);

/** @param references number of its tiles, which are all the same item */
async function grid(columns: number, rows: number, references = columns * rows): Promise<Buffer> {
  const { configuration, data } = await codedTile();
  const [width, height] = [columns * TILE, rows * TILE];
  const properties = [size(width, height), CHANNELS, size(TILE, TILE), configuration];
  return heif('avif', properties, [
    {
      type: 'grid',
      data: gridOf(columns, rows, width, height),
      properties: [1, 2],
      from: Array<number>(references).fill(2),
    },
    { type: 'av01', data, properties: [3, 2, 4] },
  ]);
}

/** Writes an image whose size in the container differs from that in its stream. */
async function claiming(width: number, height: number): Promise<Buffer> {
  const { configuration, data } = await codedTile();
  return heif('avif', [size(width, height), CHANNELS, configuration], [{ type: 'av01', data, properties: [1, 2, 3] }]);
}

async function cycle(): Promise<Buffer> {
  const data = gridOf(2, 2, 9000, 9000);
  const grids: Item[] = [2, 1].map((next) => ({ type: 'grid', data, properties: [1], from: [next, next, next, next] }));
  return heif('avif', [size(9000, 9000)], grids);
}

/** Writes three levels of grids of 100 tiles: a million tiles in all. */
async function nestedGrids(): Promise<Buffer> {
  const { configuration, data } = await codedTile();
  const levels = [2, 3, 4].map(
    (next): Item => ({
      type: 'grid',
      data: gridOf(10, 10, 10_000, 10_000),
      properties: [1],
      from: Array<number>(100).fill(next),
    }),
  );
  return heif(
    'avif',
    [size(10_000, 10_000), size(TILE, TILE), configuration],
    [...levels, { type: 'av01', data, properties: [2, 3] }],
  );
}

async function overlay(count: number): Promise<Buffer> {
  const { configuration, data } = await codedTile();
  const layers = Buffer.concat([u8(0, 1), be16(0, 0, 0, 0xffff), be32(10_000, 10_000), repeat(be32(0, 0), count)]);
  return heif(
    'avif',
    [size(10_000, 10_000), size(TILE, TILE), configuration],
    [
      { type: 'iovl', data: layers, properties: [1], from: Array<number>(count).fill(2) },
      { type: 'av01', data, properties: [2, 3] },
    ],
  );
}

async function manyItems(count: number): Promise<Buffer> {
  const { configuration, data } = await codedTile();
  const image: Item = { type: 'av01', data, properties: [1, 2] };
  const empty: Item = { type: 'Exif', data: Buffer.alloc(0), properties: [] };
  return heif('avif', [size(TILE, TILE), configuration], [image, ...Array<Item>(count).fill(empty)]);
}

export const AVIF_BOMBS: readonly Bomb[] = bombs('heif', 'avif', {
  'claims 65535 x 65535 around 1000 x 1000': () => claiming(65_535, 65_535),
  'claims 9999 x 9999 around 1000 x 1000': () => claiming(9999, 9999),
  'grid of 256 x 256 times one tile': () => grid(256, 256, 65_535),
  'grid of 30 x 30 times one tile': () => grid(30, 30),
  'grid of 10 x 10 that names 65,535 tiles': () => grid(10, 10, 65_535),
  'grids that are made of each other': cycle,
  'grids of grids of grids': nestedGrids,
  'overlay of 20,000 images': () => overlay(20_000),
  '60,000 items': () => manyItems(60_000),
  'valid, grid of 9 x 9 times one tile': () => grid(9, 9),
});

const UNCOMPRESSED = [
  box('cmpd', be32(3), be16(4, 5, 6)),
  fullBox(
    'uncC',
    0,
    0,
    be32(0, 3),
    ...[0, 1, 2].map((index) => u8(0, index, 7, 0, 0)),
    u8(0, 1, 0, 0),
    be32(0, 0, 0, 0, 0),
  ),
];

function uncompressed(width: number, height: number, data: Uint8Array, coding?: string): Buffer {
  const properties = [size(width, height), ...UNCOMPRESSED];
  if (coding !== undefined) properties.push(fullBox('cmpC', 0, 0, text(coding), u8(0)));
  return heif('mif1', properties, [{ type: 'unci', data, properties: properties.map((_, index) => index + 1) }]);
}

const HEVC = box('hvcC', u8(1, 1, 0x60, 0, 0, 0, 0x90), Buffer.alloc(16));
const hevc = (width: number, height: number, items = 1): Buffer => {
  const image: Item = { type: 'hvc1', data: Buffer.alloc(100), properties: [1, 2] };
  return heif('heic', [size(width, height), HEVC], Array<Item>(items).fill(image));
};

export const HEIC_BOMBS: readonly Bomb[] = bombs('heif', 'heic', {
  'claims 65535 x 65535': () => hevc(65_535, 65_535),
  'claims 9999 x 9999': () => hevc(9999, 9999),
  '20,000 images of 9999 x 9999': () => hevc(9999, 9999, 20_000),
  'uncompressed, 65535 x 65535': () => uncompressed(65_535, 65_535, Buffer.alloc(100)),
  'uncompressed, deflates to 1 GB': () => uncompressed(9999, 9999, zlibZeros(2 ** 30), 'zlib'),
  'uncompressed, 64 x 64 that inflate to 1 GB': () => uncompressed(64, 64, zlibZeros(2 ** 30), 'zlib'),
  'valid, uncompressed, 5700 x 5700': () =>
    uncompressed(5700, 5700, deflateSync(Buffer.alloc(5700 * 5700 * 3)), 'zlib'),
});
