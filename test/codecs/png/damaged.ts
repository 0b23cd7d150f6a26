/** Damaged PNG files: by transmission errors, and by an attacker who writes correct checksums. */
import { deflateSync, inflateSync } from 'node:zlib';
import { Random } from '../../support/random.ts';
import { makePng, type PngKind, withChunks } from './files.ts';

const SMALL: readonly PngKind[] = [
  { width: 9, height: 7, colour: 2, depth: 8 },
  { width: 13, height: 5, colour: 3, depth: 2, transparency: Uint8Array.of(0, 100) },
  { width: 10, height: 9, colour: 3, depth: 8, colours: 200, below: 3 },
  { width: 11, height: 9, colour: 6, depth: 8, interlaced: true },
  { width: 5, height: 6, colour: 0, depth: 16, transparency: Uint8Array.of(1, 2) },
  { width: 17, height: 3, colour: 0, depth: 1, interlaced: true },
];

export function smallPngs(random: Random): Buffer[] {
  return SMALL.map((kind) => makePng(random, kind));
}

/** Yields each file truncated at every byte, and with every byte changed. */
export function* brokenPngs(files: readonly Uint8Array[], random: Random): Generator<Uint8Array> {
  for (const file of files)
    for (let at = 0; at < file.length; at += 1) {
      yield file.subarray(0, at);
      const changed = Uint8Array.from(file);
      changed[at]! ^= 1 + random.integer(255);
      yield changed;
    }
}

/** Yields files with correct checksums whose chunks or rows are changed, dropped, repeated or moved. */
export function* tamperedPngs(files: readonly Uint8Array[], count: number, seed: number): Generator<Buffer> {
  const random = new Random(seed);
  for (let index = 0; index < count; index += 1) {
    const file = files[index % files.length]!;
    yield random.integer(3) === 0 ? withForgedRows(file, random) : withForgedChunks(file, random);
  }
}

function damage(data: Uint8Array, random: Random): Uint8Array {
  const changed = Uint8Array.from(data.subarray(0, random.integer(8) === 0 ? random.integer(data.length) : undefined));
  for (let changes = random.integer(3); changes >= 0 && changed.length > 0; changes -= 1)
    changed[random.integer(changed.length)] = random.pick([0, 1, 2, 5, 255, random.integer(256)]);
  return changed;
}

function withForgedChunks(file: Uint8Array, random: Random): Buffer {
  return withChunks(file, (chunks) => {
    const at = random.integer(chunks.length);
    const { name, data } = chunks[at]!;
    const other = random.pick(chunks);
    const change = random.integer(8);
    if (change === 0) return chunks.toSpliced(at, 1);
    if (change === 1) return chunks.toSpliced(at, 0, other);
    if (change === 2) return chunks.toSpliced(at, 0, { ...other, name: random.pick(['tEXt', 'bKGD', 'tRNS', 'ABCD']) });
    if (change === 3) return chunks.toSpliced(at, 1, other);
    return chunks.with(at, { ...chunks[at]!, name, data: damage(data, random) });
  });
}

/** Changes the rows or their number, or appends bytes after their data. */
function withForgedRows(file: Uint8Array, random: Random): Buffer {
  return withChunks(file, (chunks) => {
    const isData = ({ name }: { name: string }) => name === 'IDAT';
    const rows = inflateSync(Buffer.concat(chunks.filter(isData).map(({ data }) => data)));
    const changed =
      random.integer(3) === 0 ? Buffer.concat([rows, Buffer.alloc(random.integer(3))]) : damage(rows, random);
    const data = deflateSync(changed, { level: random.integer(10), windowBits: 9 + random.integer(7) });
    const behind = random.integer(6) === 0 ? Buffer.alloc(1 + random.integer(9), 7) : Buffer.alloc(0);
    const first = chunks.findIndex(isData);
    return [
      ...chunks.slice(0, first),
      { name: 'IDAT', data: Buffer.concat([data, behind]) },
      ...chunks.slice(first).filter((each) => !isData(each)),
    ];
  });
}
