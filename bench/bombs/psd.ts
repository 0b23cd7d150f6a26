/** Photoshop documents: a few bytes that claim huge sizes and many channels, layers and resources. */
import { type Bomb, bombs } from './bomb.ts';
import { be16, be32, repeat, text, u8 } from './bytes.ts';

interface Document {
  width: number;
  height: number;
  channels?: number;
  depth?: number;
  mode?: number;
  large?: boolean;
  resources?: Uint8Array;
  layers?: Uint8Array;
}

const NOTHING = Buffer.alloc(0);

function psd(document: Document, coding: number, data: Uint8Array): Buffer {
  const { width, height, channels = 3, depth = 8, mode = 3, large, resources = NOTHING, layers = NOTHING } = document;
  const layerLength = large ? be32(0, layers.length) : be32(layers.length);
  return Buffer.concat([
    text('8BPS'),
    be16(large ? 2 : 1),
    Buffer.alloc(6),
    be16(channels),
    be32(height, width),
    be16(depth, mode),
    be32(0),
    be32(resources.length),
    resources,
    layerLength,
    layers,
    be16(coding),
    data,
  ]);
}

const PLAIN = 0;
const RLE = 1;
const ZIP = 2;

/** Writes a row of zeros for every row of every channel, after the table of their lengths. */
function packedZeros(width: number, height: number, channels: number): Buffer {
  const row = repeat(u8(0x81, 0), Math.ceil(width / 128));
  return Buffer.concat([repeat(be16(row.length), height * channels), repeat(row, height * channels)]);
}

const resource = Buffer.concat([text('8BIM'), be16(1000, 0), be32(0)]);

/** Writes layers of 30000 x 30000 with many channels, whose data is missing. */
function manyLayers(layers: number, channels: number): Buffer {
  const record = Buffer.concat([
    be32(0, 0, 30_000, 30_000),
    be16(channels),
    repeat(Buffer.concat([be16(0), be32(2)]), channels),
    text('8BIMnorm'),
    u8(255, 0, 0, 0),
    be32(12, 0, 0),
    u8(0, 0, 0, 0),
  ]);
  const info = Buffer.concat([be16(layers), repeat(record, layers)]);
  return Buffer.concat([be32(info.length), info]);
}

export const PSD_BOMBS: readonly Bomb[] = bombs('psd', 'psd', {
  'claims 30000 x 30000': () => psd({ width: 30_000, height: 30_000 }, RLE, Buffer.alloc(100)),
  'claims 30000 x 30000, 56 channels of 16 bits': () =>
    psd({ width: 30_000, height: 30_000, channels: 56, depth: 16 }, RLE, Buffer.alloc(100)),
  'PSB, claims 300000 x 300000': () => psd({ width: 300_000, height: 300_000, large: true }, RLE, Buffer.alloc(100)),
  'PSB, claims 30000 x 9000': () => psd({ width: 30_000, height: 9000, large: true }, RLE, Buffer.alloc(100)),
  'PSB, claims 10000 x 10000, plain': () =>
    psd({ width: 10_000, height: 10_000, large: true }, PLAIN, Buffer.alloc(100)),
  'claims 9999 x 9999, 56 channels': () => psd({ width: 9999, height: 9999, channels: 56 }, RLE, Buffer.alloc(100)),
  'claims 9999 x 9999, 32 bits': () => psd({ width: 9999, height: 9999, depth: 32 }, ZIP, Buffer.alloc(100)),
  '1,000,000 resources': () =>
    psd({ width: 64, height: 64, resources: repeat(resource, 1_000_000) }, RLE, packedZeros(64, 64, 3)),
  '5,000 layers of 30000 x 30000': () =>
    psd({ width: 64, height: 64, layers: manyLayers(5000, 56) }, RLE, packedZeros(64, 64, 3)),
  'valid, 9999 x 9999': () => psd({ width: 9999, height: 9999 }, RLE, packedZeros(9999, 9999, 3)),
  'valid, bitmap of 17000 x 17000': () =>
    psd({ width: 17_000, height: 17_000, channels: 1, depth: 1, mode: 0 }, RLE, packedZeros(2125, 17_000, 1)),
});
