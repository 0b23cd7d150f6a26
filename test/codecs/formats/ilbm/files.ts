/** Writes small files of the Interchange File Format, independently of the reader. */

export function chunk(id: string, ...parts: (Uint8Array | readonly number[])[]): Buffer {
  const data = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const header = Buffer.alloc(8);
  header.write(id, 'latin1');
  header.writeUInt32BE(data.length, 4);
  return Buffer.concat([header, data, Buffer.alloc(data.length & 1)]);
}

export const form = (type: string, ...chunks: Uint8Array[]): Buffer => chunk('FORM', Buffer.from(type), ...chunks);

export const u16 = (...values: number[]): number[] => values.flatMap((value) => [(value >> 8) & 0xff, value & 0xff]);
export const u32 = (...values: number[]): number[] => values.flatMap((value) => u16(value >>> 16, value & 0xffff));

export interface Header {
  width: number;
  height: number;
  planes: number;
  masking?: number;
  compression?: number;
  flags?: number;
  transparent?: number;
}

export function bmhd({ width, height, planes, masking = 0, compression = 0, flags = 0, transparent = 0 }: Header) {
  const fields = [...u16(width, height, 0, 0), planes, masking, compression, flags, ...u16(transparent), 10, 11];
  return chunk('BMHD', [...fields, ...u16(width, height)]);
}

const rowBytes = (width: number) => Math.ceil(width / 16) * 2;

/** Writes one plane of a row: bit `bit` of every value. */
function planeRow(values: readonly number[], bit: number): Buffer {
  const row = Buffer.alloc(rowBytes(values.length));
  for (const [x, value] of values.entries())
    if (Math.floor(value / 2 ** bit) % 2 === 1) row[x >> 3]! |= 0x80 >> (x & 7);
  return row;
}

const rowsOf = (values: readonly number[], width: number): number[][] =>
  Array.from({ length: values.length / width }, (_, y) => values.slice(y * width, (y + 1) * width));

const counted = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

/** Interleaves the planes by row. A mask is one more plane. */
export function interleaved(
  values: readonly number[],
  width: number,
  planes: number,
  mask?: readonly number[],
): Buffer {
  const rows = rowsOf(values, width).map((row, y) => [
    ...counted(planes, (bit) => planeRow(row, bit)),
    ...(mask ? [planeRow(mask.slice(y * width, (y + 1) * width), 0)] : []),
  ]);
  return Buffer.concat(rows.flat());
}

/** Writes one plane after the other. */
export function planar(values: readonly number[], width: number, planes: number): Buffer {
  return Buffer.concat(counted(planes, (bit) => rowsOf(values, width).map((row) => planeRow(row, bit))).flat());
}

/** Packs stretches of `length` bytes by ByteRun1. */
export function byteRun1(bytes: Uint8Array, length: number): Buffer {
  const out: number[] = [];
  for (let start = 0; start < bytes.length; start += length) {
    const row = bytes.subarray(start, start + length);
    for (let at = 0; at < row.length; ) {
      let run = 1;
      while (run < 128 && at + run < row.length && row[at + run] === row[at]) run++;
      if (run > 1) {
        out.push(257 - run, row[at]!);
        at += run;
      } else {
        let literal = 1;
        while (literal < 128 && at + literal < row.length && row[at + literal] !== row[at + literal - 1]) literal++;
        out.push(literal - 1, ...row.subarray(at, at + literal));
        at += literal;
      }
    }
  }
  return Buffer.from(out);
}

/** Packs the words of each plane column by column, as a list of commands and their words. */
export function verticalRuns(values: readonly number[], width: number, planes: number): Buffer {
  const height = values.length / width;
  return Buffer.concat(
    counted(planes, (bit) => {
      const plane = Buffer.concat(rowsOf(values, width).map((row) => planeRow(row, bit)));
      const words = counted(rowBytes(width) / 2, (column) =>
        counted(height, (y) => plane.readUInt16BE(y * rowBytes(width) + column * 2)),
      ).flat();
      const commands: number[] = [];
      const data: number[] = [];
      for (let at = 0; at < words.length; ) {
        let run = 1;
        while (at + run < words.length && words[at + run] === words[at]) run++;
        if (run === 1) {
          const literal = Math.min(3, words.length - at);
          // Uses both ways to give the number of literal words.
          commands.push(at % 2 === 0 ? 256 - literal : 0);
          data.push(...(at % 2 === 0 ? [] : [literal]), ...words.slice(at, at + literal));
          at += literal;
        } else {
          commands.push(run <= 127 && at % 2 === 0 ? run : 1);
          data.push(...(run <= 127 && at % 2 === 0 ? [] : [run]), words[at]!);
          at += run;
        }
      }
      return chunk('VDAT', u16(commands.length + 2), commands, u16(...data));
    }),
  );
}

export interface LineChanges {
  /** One map per line, from line `start` on: palette index to 0xRRGGBB. */
  lines: readonly ReadonlyMap<number, number>[];
  start: number;
}

/** Writes palette changes of 12 or 24 bits, packed or not. */
export function pchg({ lines, start }: LineChanges, long: boolean, packed: boolean): Buffer {
  const mask = Buffer.alloc(Math.ceil(lines.length / 32) * 4);
  for (const [line, changes] of lines.entries()) if (changes.size > 0) mask[line >> 3]! |= 0x80 >> (line & 7);
  const body = lines
    .filter((changes) => changes.size > 0)
    .map((changes) => {
      const entries = [...changes];
      if (long) {
        const change = ([index, rgb]: [number, number]) => [...u16(index), 0, rgb >> 16, rgb & 0xff, (rgb >> 8) & 0xff];
        return Buffer.from([...u16(entries.length), ...entries.flatMap(change)]);
      }
      const short = ([index, rgb]: [number, number]) =>
        u16(((index & 15) << 12) | ((rgb >> 12) & 0xf00) | ((rgb >> 8) & 0xf0) | ((rgb >> 4) & 0xf));
      const lower = entries.filter(([index]) => index < 16);
      const upper = entries.filter(([index]) => index >= 16);
      return Buffer.from([lower.length, upper.length, ...lower.flatMap(short), ...upper.flatMap(short)]);
    });
  const changed = lines.filter((changes) => changes.size > 0).length;
  const total = lines.reduce((sum, changes) => sum + changes.size, 0);
  const most = Math.max(...lines.map((changes) => changes.size));
  const header = [...u16(packed ? 1 : 0, long ? 2 : 1, start, lines.length, changed, 0, 31, most), ...u32(total)];
  const data = Buffer.concat([mask, ...body]);
  return chunk('PCHG', header, packed ? huffman(data) : data);
}

type Tree = { byte: number } | { zero: Tree; one: Tree };

/** Compresses data and writes sizes, tree and codes as in the PCHG chunk. */
function huffman(data: Uint8Array): Buffer {
  const counts = new Map<number, number>();
  for (const byte of data) counts.set(byte, (counts.get(byte) ?? 0) + 1);
  let nodes: { weight: number; tree: Tree }[] = [...counts].map(([byte, weight]) => ({ weight, tree: { byte } }));
  while (nodes.length > 1) {
    nodes = nodes.sort((a, b) => a.weight - b.weight);
    const [zero, one, ...others] = nodes as [(typeof nodes)[0], (typeof nodes)[0], ...typeof nodes];
    nodes = [...others, { weight: zero.weight + one.weight, tree: { zero: zero.tree, one: one.tree } }];
  }
  const codes = new Map<number, string>();
  const words = serialise(nodes[0]!.tree, '', codes);
  const bits = [...data].map((byte) => codes.get(byte)!).join('');
  const padded = bits.padEnd(Math.ceil(bits.length / 32) * 32, '0');
  const packed = (padded.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
  return Buffer.from([...u32(words.length * 2, data.length), ...u16(...words), ...packed]);
}

/** Returns the words of a subtree, with the node's own word last. The branch of 1 comes before that of 0. */
function serialise(tree: Tree, code: string, codes: Map<number, string>): number[] {
  if ('byte' in tree) throw new Error('a leaf has no word of its own');
  const { zero, one } = tree;
  if ('byte' in zero) codes.set(zero.byte, `${code}0`);
  if ('byte' in one) codes.set(one.byte, `${code}1`);
  const zeroWords = 'byte' in zero ? [zero.byte | 0x100] : serialise(zero, `${code}0`, codes);
  if ('byte' in one) return [...zeroWords, one.byte];
  return [...serialise(one, `${code}1`, codes), ...zeroWords, (-2 * (zeroWords.length + 1)) & 0xffff];
}
