/** Writes files of formats that no available program writes, according to the public descriptions of the formats. */
import type { InputFormat } from '../../codecs/formats/registry.ts';
import { analyze } from '../../test/codecs/volumes/files.ts';
import { HOME_COMPUTERS } from './home-computers.ts';
import { type Raster, rasterOf } from './raster.ts';
import type { Source, Sources } from './sources.ts';

export interface Drawing {
  format: InputFormat;
  name: string;
  draw(sources: Sources): { bytes: Uint8Array; drawn: Raster };
}

const from =
  (source: keyof Sources, write: (image: Source) => Uint8Array): Drawing['draw'] =>
  (sources) => ({ bytes: write(sources[source]), drawn: sources[source].raster });

export const DRAWN: readonly Drawing[] = [
  ...HOME_COMPUTERS,
  { format: 'xcf', name: 'photo.xcf', draw: from('clear', writeXcf) },
  { format: 'tim', name: 'photo.tim', draw: ({ photo }) => ({ bytes: writeTim(photo), drawn: fiveBits(photo) }) },
  { format: 'cut', name: 'grey.cut', draw: from('grey', writeCut) },
  { format: 'wpg', name: 'grey.wpg', draw: from('grey', writeWpg) },
  { format: 'sct', name: 'grey.sct', draw: from('grey', writeSct) },
  { format: 'analyze', name: 'grey.img', draw: from('grey', writeAnalyze) },
];

const u16le = (...values: number[]): number[] => values.flatMap((value) => [value & 255, (value >> 8) & 255]);
const u32be = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
};

const TILE = 64;
const RUNS = 1;

/** Writes one layer (GIMP, "Documentation of the XCF file format", version 0). */
function writeXcf({ samples, width, height }: Source): Uint8Array {
  const end = u32be(0, 0);
  const head = Buffer.concat([
    Buffer.from('gimp xcf file\0'),
    u32be(width, height, 0),
    Buffer.concat([u32be(17, 1), Buffer.of(RUNS)]),
    end,
  ]);
  // Pointers to the single layer and to no channels.
  const layerAt = head.length + 12;
  const name = Buffer.from('layer\0');
  // Opaque, visible, normal, at the corner.
  const properties = Buffer.concat([u32be(6, 4, 255, 8, 4, 1, 7, 4, 0, 15, 8, 0, 0), end]);
  const layer = Buffer.concat([u32be(width, height, 1, name.length), name, properties]);
  const hierarchyAt = layerAt + layer.length + 8;
  const levelAt = hierarchyAt + 20;
  const tiles = tilesOf(samples, width, height);
  const tilesAt = levelAt + 8 + tiles.length * 4 + 4;
  const offsets = tiles.map((_, index) => tiles.slice(0, index).reduce((sum, tile) => sum + tile.length, tilesAt));
  return Buffer.concat([
    head,
    u32be(layerAt, 0, 0),
    layer,
    u32be(hierarchyAt, 0),
    u32be(width, height, 4, levelAt, 0),
    u32be(width, height, ...offsets, 0),
    ...tiles,
  ]);
}

/** Writes channel by channel, in runs of literal bytes. */
function tilesOf(samples: Uint8Array, width: number, height: number): Buffer[] {
  const tiles: Buffer[] = [];
  for (let top = 0; top < height; top += TILE) {
    for (let left = 0; left < width; left += TILE) {
      const runs: Buffer[] = [];
      for (let channel = 0; channel < 4; channel++) {
        for (let y = top; y < Math.min(height, top + TILE); y++) {
          const columns = Math.min(TILE, width - left);
          const run = Array.from({ length: columns }, (_, x) => samples[(y * width + left + x) * 4 + channel]!);
          runs.push(Buffer.of(256 - columns, ...run));
        }
      }
      tiles.push(Buffer.concat(runs));
    }
  }
  return tiles;
}

const FIVE_BITS = 31;

const fiveBits = ({ samples, ...size }: Source): Raster =>
  rasterOf(
    samples.map((sample) => Math.round(((sample >> 3) * 255) / FIVE_BITS)),
    size,
  );

/** Writes 16 bits per pixel, five per colour (Sony, "PlayStation File Formats", 1998, "TIM"). */
function writeTim({ samples, width, height }: Source): Uint8Array {
  const header = Buffer.alloc(20);
  header.writeUInt32LE(0x10, 0);
  header.writeUInt32LE(2, 4);
  header.writeUInt32LE(12 + width * height * 2, 8);
  header.writeUInt16LE(width, 16);
  header.writeUInt16LE(height, 18);
  const pixels = Buffer.alloc(width * height * 2);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const [red, green, blue] = samples.subarray(pixel * 3, pixel * 3 + 3) as unknown as [number, number, number];
    pixels.writeUInt16LE((red >> 3) | ((green >> 3) << 5) | ((blue >> 3) << 10), pixel * 2);
  }
  return Buffer.concat([header, pixels]);
}

/** Writes runs of literal bytes, each row after its length (Media Cybernetics, Dr. Halo). */
function writeCut({ samples, width, height }: Source): Uint8Array {
  const rows = Array.from({ length: height }, (_, y) => {
    const row = Buffer.from(samples.subarray(y * width, (y + 1) * width));
    const runs: Buffer[] = [];
    for (let x = 0; x < width; x += 100) {
      const run = row.subarray(x, x + 100);
      runs.push(Buffer.of(run.length), run);
    }
    const packed = Buffer.concat([...runs, Buffer.of(0)]);
    return Buffer.concat([Buffer.from(u16le(packed.length)), packed]);
  });
  return Buffer.concat([Buffer.from(u16le(width, height, 0)), ...rows]);
}

/** Writes a bitmap of 256 greys in literal runs (WordPerfect Corp., "WordPerfect Graphics File Format", version 1). */
function writeWpg({ samples, width, height }: Source): Uint8Array {
  const record = (type: number, data: Uint8Array): Buffer => {
    const wide = Buffer.from([...u16le((data.length >>> 16) | 0x8000), ...u16le(data.length & 0xffff)]);
    return Buffer.concat([
      Buffer.of(type),
      data.length < 255 ? Buffer.of(data.length) : Buffer.concat([Buffer.of(255), wide]),
      data,
    ]);
  };
  const palette = Array.from({ length: 256 }, (_, grey) => [grey, grey, grey]).flat();
  const runs: Buffer[] = [];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x += 100) {
      const run = samples.subarray(y * width + x, y * width + Math.min(width, x + 100));
      runs.push(Buffer.of(run.length), Buffer.from(run));
    }
  }
  return Buffer.concat([
    Buffer.from('\xffWPC', 'latin1'),
    Buffer.from([16, 0, 0, 0, 1, 0x16, 1, 0, 0, 0, 0, 0]),
    record(0x0f, Buffer.from([1, 0, ...u16le(width * 16, height * 16)])),
    record(0x0e, Buffer.from([...u16le(0, 256), ...palette])),
    record(0x0b, Buffer.concat([Buffer.from(u16le(width, height, 8, 75, 75)), ...runs])),
    record(0x10, Buffer.alloc(0)),
  ]);
}

/** Writes one separation, black, as Scitex systems exchange it ("Handshake Foreign File Transfer Protocol", 1988). */
function writeSct({ samples, width, height }: Source): Uint8Array {
  const header = Buffer.alloc(2048);
  header.write('grey', 0, 'latin1');
  header.write('CT', 80, 'latin1');
  header.writeUInt8(0, 1024);
  header.writeUInt8(1, 1025);
  header.writeUInt16BE(8, 1026);
  header.write('+1.00000000E+02', 1028, 14, 'latin1');
  header.write('+1.00000000E+02', 1042, 14, 'latin1');
  header.write(`+${String(height).padStart(11, '0')}`, 1056, 'latin1');
  header.write(`+${String(width).padStart(11, '0')}`, 1068, 'latin1');
  return Buffer.concat([header, samples]);
}

/** Writes one plane whose display window is the range of a byte; rows run upwards. */
function writeAnalyze({ samples, width, height }: Source): Uint8Array {
  const rows = Array.from({ length: height }, (_, y) =>
    samples.subarray((height - 1 - y) * width, (height - y) * width),
  );
  return analyze({
    dim: [width, height, 1],
    datatype: 2,
    bitpix: 8,
    voxels: Buffer.concat(rows),
    calMin: 0,
    calMax: 255,
  });
}
