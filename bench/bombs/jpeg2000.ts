/** JPEG 2000 (ITU-T T.800): codestreams with empty packets, so that one byte codes a whole resolution level. */
import { type Bomb, bombs } from './bomb.ts';
import { be16, be32, repeat, text, u8 } from './bytes.ts';

interface Image {
  width: number;
  height: number;
  tile?: readonly [width: number, height: number];
  components?: number;
  levels?: number;
  layers?: number;
  bits?: number;
}

const marker = (code: number, ...content: readonly Uint8Array[]): Buffer => {
  const data = Buffer.concat(content);
  return Buffer.concat([be16(code, data.length + 2), data]);
};

function header({
  width,
  height,
  tile = [width, height],
  components = 1,
  levels = 5,
  layers = 1,
  bits = 8,
}: Image): Buffer {
  return Buffer.concat([
    be16(0xff4f),
    marker(
      0xff51,
      be16(0),
      be32(width, height, 0, 0, ...tile, 0, 0),
      be16(components),
      repeat(u8(bits - 1, 1, 1), components),
    ),
    // Largest precincts, code blocks of 64 x 64, the reversible wavelet.
    marker(0xff52, u8(0, 0), be16(layers), u8(0, levels, 4, 4, 0, 1)),
    marker(0xff5c, u8(0x40), repeat(u8((bits + 1) << 3), levels * 3 + 1)),
  ]);
}

const EMPTY_PACKET = 0;

function tilePart(index: number, packets: number): Buffer {
  const data = Buffer.alloc(packets, EMPTY_PACKET);
  return Buffer.concat([marker(0xff90, be16(index), be32(14 + data.length), u8(0, 1)), be16(0xff93), data]);
}

const END = be16(0xffd9);

export function codestream(image: Image): Buffer {
  const { width, height, tile = [width, height], components = 1, levels = 5, layers = 1 } = image;
  const tiles = Math.min(65_535, Math.ceil(width / tile[0]) * Math.ceil(height / tile[1]));
  const packets = (levels + 1) * layers * components;
  return Buffer.concat([header(image), ...Array.from({ length: tiles }, (_, index) => tilePart(index, packets)), END]);
}

const box = (type: string, ...content: readonly Uint8Array[]): Buffer => {
  const data = Buffer.concat(content);
  return Buffer.concat([be32(data.length + 8), text(type), data]);
};

function jp2(width: number, height: number, components: number, ...more: readonly Uint8Array[]): Buffer {
  return Buffer.concat([
    box('jP  ', u8(0x0d, 0x0a, 0x87, 0x0a)),
    box('ftyp', text('jp2 '), be32(0), text('jp2 ')),
    box('jp2h', box('ihdr', be32(height, width), be16(components), u8(7, 7, 0, 0)), box('colr', u8(1, 0, 0), be32(17))),
    ...more,
  ]);
}

export const JPEG_2000_BOMBS: readonly Bomb[] = bombs('jpeg2000', 'jp2', {
  'claims 4,294,967,295 x 4,294,967,295': () => codestream({ width: 0xffffffff, height: 0xffffffff }),
  'claims 60000 x 60000, without data': () => Buffer.concat([header({ width: 60_000, height: 60_000 }), END]),
  'claims 9999 x 9999, without data': () => Buffer.concat([header({ width: 9999, height: 9999 }), tilePart(0, 0), END]),
  '60000 x 60000 of empty packets': () => codestream({ width: 60_000, height: 60_000 }),
  '65,025 tiles of 100 x 100': () => codestream({ width: 25_500, height: 25_500, tile: [100, 100] }),
  '40,000 tiles of 10 x 10': () => codestream({ width: 2000, height: 2000, tile: [10, 10] }),
  'tiles of 1 x 1 over 30000 x 30000': () =>
    Buffer.concat([header({ width: 30_000, height: 30_000, tile: [1, 1] }), tilePart(0, 6), END]),
  '16,384 components of 1000 x 1000': () => codestream({ width: 1000, height: 1000, components: 16_384, levels: 1 }),
  '65,535 layers of 2000 x 2000': () => codestream({ width: 2000, height: 2000, layers: 65_535 }),
  '32 levels of 5000 x 5000': () => codestream({ width: 5000, height: 5000, levels: 32 }),
  'container that claims 64 x 64 around 60000 x 60000': () =>
    jp2(64, 64, 1, box('jp2c', codestream({ width: 60_000, height: 60_000 }))),
  '1,000,000 empty boxes': () =>
    jp2(64, 64, 1, repeat(box('free'), 1_000_000), box('jp2c', codestream({ width: 64, height: 64 }))),
  'valid, 9999 x 9999 of empty packets': () => codestream({ width: 9999, height: 9999 }),
  'valid, 9999 x 9999, three components of 16 bits': () =>
    codestream({ width: 9999, height: 9999, components: 3, bits: 16 }),
});
