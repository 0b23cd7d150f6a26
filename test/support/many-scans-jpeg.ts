/** Progressive JPEGs of many scans: each costs its decoder a walk over all blocks and its sender a few bytes. */

/** Blocks that one end-of-band run covers at most (ITU-T T.81, G.1.2.2): 14 bits after the symbol EOB14. */
const MAX_END_OF_BAND_RUN = 2 ** 15 - 1;
const BLOCK_SIDE = 8;

const segment = (marker: number, content: readonly number[]): number[] => [
  0xff,
  marker,
  (content.length + 2) >> 8,
  (content.length + 2) & 0xff,
  ...content,
];

/** A Huffman table of one code of one bit: symbol `symbol` is written as 0. */
const tableOf = (classAndId: number, symbol: number): number[] =>
  segment(0xc4, [classAndId, 1, ...Array.from({ length: 15 }, () => 0), symbol]);

/** Writes bits from the most significant one on, stuffs a zero after 0xff, and fills the last byte with ones. */
function packBits(bits: readonly (0 | 1)[]): number[] {
  const bytes: number[] = [];
  for (let at = 0; at < bits.length; at += 8) {
    let byte = 0;
    for (let bit = 0; bit < 8; bit++) byte = (byte << 1) | (bits[at + bit] ?? 1);
    bytes.push(byte);
    if (byte === 0xff) bytes.push(0);
  }
  return bytes;
}

const binary = (value: number, length: number): (0 | 1)[] =>
  Array.from({ length }, (_, bit) => ((value >> (length - 1 - bit)) & 1) as 0 | 1);

/** A grey progressive JPEG of one DC scan and `scans - 1` AC scans that hold no coefficient. */
export function manyScansJpeg(scans: number, width: number, height: number): Buffer {
  const blocks = Math.ceil(width / BLOCK_SIDE) * Math.ceil(height / BLOCK_SIDE);
  const frame = [8, height >> 8, height & 0xff, width >> 8, width & 0xff, 1, 1, 0x11, 0];
  const head = [
    ...[0xff, 0xd8],
    ...segment(0xdb, [0, ...Array.from({ length: 64 }, () => 1)]),
    ...segment(0xc2, frame),
    // DC differences of category 0; EOB14, whose 14 further bits tell how many blocks it ends.
    ...tableOf(0x00, 0),
    ...tableOf(0x10, 0xe0),
    ...segment(0xda, [1, 1, 0x00, 0, 0, 0x00]),
    ...packBits(Array.from({ length: blocks }, () => 0)),
  ];
  const bits: (0 | 1)[] = [];
  for (let left = blocks; left > 0; ) {
    const run = Math.min(left, MAX_END_OF_BAND_RUN);
    // EOB14 covers 2^14 blocks at least; a run over the end of the scan is a warning to decoders, no more.
    bits.push(0, ...binary(Math.max(0, run - 2 ** 14), 14));
    left -= Math.max(run, 2 ** 14);
  }
  const scan = [...segment(0xda, [1, 1, 0x00, 1, 63, 0x00]), ...packBits(bits)];
  const parts = [Buffer.from(head), ...Array.from({ length: scans - 1 }, () => Buffer.from(scan))];
  return Buffer.concat([...parts, Buffer.from([0xff, 0xd9])]);
}
