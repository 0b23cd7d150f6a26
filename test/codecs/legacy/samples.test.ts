/** QOI, farbfeld, PAM, SGI, XV thumbnails and WAL: formats of plain samples. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadCodec } from '../../../codecs/formats/codecs.ts';
import { isPam } from '../../../codecs/formats/pam/read.ts';
import { isSgi } from '../../../codecs/formats/sgi/read.ts';
import { TRIED_PART } from '../../support/damage.ts';
import { decodeWith, probeWith, readBitmap, readDamaged } from '../../support/readers.ts';
import { makeSamples } from '../../support/samples.ts';

const farbfeldReader = (await loadCodec('farbfeld')).reader!;
const pamReader = (await loadCodec('pam')).reader!;
const qoiReader = (await loadCodec('qoi')).reader!;
const sgiReader = (await loadCodec('sgi')).reader!;
const walReader = (await loadCodec('wal')).reader!;
const xvReader = (await loadCodec('xv')).reader!;

function uint32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

/** Writes QOI with all operations of the specification, chosen as by its reference encoder. */
function qoi({ data, width, height, channels }: { data: Uint8Array; width: number; height: number; channels: 3 | 4 }) {
  const out: number[] = [];
  const seen = new Array<string>(64).fill('0,0,0,0');
  let last = [0, 0, 0, 255];
  let run = 0;
  for (let at = 0; at < data.length; at += channels) {
    const pixel = [...data.subarray(at, at + 3), channels === 4 ? data[at + 3]! : 255];
    if (pixel.join() === last.join()) {
      run++;
      if (run === 62 || at + channels === data.length) {
        out.push(0xc0 | (run - 1));
        run = 0;
      }
      continue;
    }
    if (run > 0) out.push(0xc0 | (run - 1));
    run = 0;
    const [r, g, b, a] = pixel as [number, number, number, number];
    const slot = (r * 3 + g * 5 + b * 7 + a * 11) % 64;
    const signed = (value: number) => (value << 24) >> 24;
    const [dr, dg, db] = [signed(r - last[0]!), signed(g - last[1]!), signed(b - last[2]!)];
    const within = (low: number, high: number, ...values: number[]) => values.every((v) => v >= low && v <= high);
    if (seen[slot] === pixel.join()) out.push(slot);
    else if (a !== last[3]) out.push(0xff, r, g, b, a);
    else if (within(-2, 1, dr, dg, db)) out.push(0x40 | ((dr + 2) << 4) | ((dg + 2) << 2) | (db + 2));
    else if (within(-32, 31, dg) && within(-8, 7, dr - dg, db - dg)) {
      out.push(0x80 | (dg + 32), ((dr - dg + 8) << 4) | (db - dg + 8));
    } else out.push(0xfe, r, g, b);
    seen[slot] = pixel.join();
    last = pixel;
  }
  return Buffer.concat([
    Buffer.from('qoif'),
    uint32(width, height),
    Buffer.from([channels, 0]),
    Buffer.from(out),
    Buffer.from([0, 0, 0, 0, 0, 0, 0, 1]),
  ]);
}

test('QOI: reads every operation', async () => {
  for (const kind of ['noise', 'runs', 'ramp', 'pairs', 'flat'] as const) {
    for (const channels of [3, 4] as const) {
      const image = makeSamples(kind, 60, 40, channels);
      const bitmap = await readBitmap(qoiReader, qoi(image));
      assert.equal(bitmap.channels, channels);
      assert.deepEqual(bitmap.data, image.data, `${kind} ${channels}`);
    }
  }
});

test('QOI: reads a file that ends early', async () => {
  const image = makeSamples('noise', 10, 10, 3);
  const cut = await readBitmap(qoiReader, qoi(image).subarray(0, 14 + 4 * 5 + 2));
  assert.equal(cut.truncated, true);
  assert.deepEqual(cut.data.subarray(0, 15), image.data.subarray(0, 15));
  await assert.rejects(decodeWith(qoiReader, qoi(image).subarray(0, 15)), { code: 'corrupt_image' });
  await assert.rejects(decodeWith(qoiReader, qoi(image), { maxPixels: 99 }), { code: 'image_too_large' });
});

test('farbfeld: reads 16 bits and alpha', async () => {
  const file = Buffer.concat([Buffer.from('farbfeld'), uint32(1, 2, 0x00010203, 0x0405ffff, 0x80007fff, 0x00ff0000)]);
  const { data } = await readBitmap(farbfeldReader, file);
  assert.deepEqual(data, Uint16Array.of(0x0001, 0x0203, 0x0405, 0xffff, 0x8000, 0x7fff, 0x00ff, 0));
  const cut = await readBitmap(farbfeldReader, file.subarray(0, -3));
  assert.deepEqual([cut.truncated, cut.data[4], cut.data[7]], [true, 0x8000, 0]);
  await assert.rejects(probeWith(farbfeldReader, file.subarray(0, 12)), { code: 'corrupt_image' });
});

function pam(width: number, height: number, depth: number, top: number, type: string, body: number[]): Buffer {
  const tuple = type ? `TUPLTYPE ${type}\n` : '';
  const header = `P7\n# a comment\nWIDTH ${width}\nHEIGHT ${height}\nDEPTH ${depth}\nMAXVAL ${top}\n${tuple}ENDHDR\n`;
  return Buffer.concat([Buffer.from(header), Buffer.from(body)]);
}

test('PAM: reads types, depths and levels', async () => {
  const cases: [file: Buffer, channels: number, data: number[]][] = [
    [pam(2, 1, 1, 1, 'BLACKANDWHITE', [1, 0]), 1, [255, 0]],
    [pam(1, 1, 2, 1, 'BLACKANDWHITE_ALPHA', [0, 1]), 2, [0, 255]],
    [pam(2, 1, 1, 15, 'GRAYSCALE', [15, 3]), 1, [255, 51]],
    [pam(1, 1, 2, 255, 'GRAYSCALE_ALPHA', [7, 9]), 2, [7, 9]],
    [pam(1, 1, 3, 255, 'RGB', [1, 2, 3]), 3, [1, 2, 3]],
    [pam(1, 1, 4, 255, 'RGB_ALPHA', [1, 2, 3, 4]), 4, [1, 2, 3, 4]],
    [pam(1, 1, 3, 255, '', [1, 2, 3]), 3, [1, 2, 3]],
    [pam(1, 1, 4, 255, '', [1, 2, 3, 4]), 4, [1, 2, 3, 4]],
    [pam(1, 1, 4, 255, 'CMYK', [0, 255, 51, 0]), 3, [255, 0, 204]],
    [pam(1, 1, 4, 255, 'CMYK', [0, 0, 0, 255]), 3, [0, 0, 0]],
    [pam(1, 1, 5, 255, 'CMYK_ALPHA', [255, 0, 0, 0, 77]), 4, [0, 255, 255, 77]],
    [pam(1, 1, 6, 255, 'multispectral', [1, 2, 3, 4, 5, 6]), 3, [1, 2, 3]],
  ];
  for (const [file, channels, data] of cases) {
    const bitmap = await readBitmap(pamReader, file);
    assert.deepEqual([bitmap.channels, ...bitmap.data], [channels, ...data], file.toString('latin1'));
  }
});

test('PAM: reads more than 255 levels from two bytes', async () => {
  const deep = await readBitmap(pamReader, pam(2, 1, 1, 65_535, 'GRAYSCALE', [0x12, 0x34, 0xff, 0xff]));
  assert.deepEqual(deep.data, Uint16Array.of(0x1234, 0xffff));
  const ten = await readBitmap(pamReader, pam(3, 1, 1, 1023, 'GRAYSCALE', [3, 0xff, 0, 1, 9, 9]));
  assert.deepEqual(ten.data, Uint16Array.of(0xffff, 64, 0xffff), 'levels above the highest are white');
});

test('PAM: rejects corrupt headers', async () => {
  assert.ok(!isPam(Buffer.from('P7 332\n')));
  const good = pam(2, 2, 3, 255, 'RGB', [1, 2, 3, 4, 5]);
  const cut = await readBitmap(pamReader, good);
  assert.deepEqual([cut.truncated, ...cut.data], [true, 1, 2, 3, ...new Array(9).fill(0)]);
  for (const [from, to] of [
    ['WIDTH 2', 'WIDTH 0'],
    ['DEPTH 3', 'DEPTH 0'],
    ['MAXVAL 255', 'MAXVAL 65536'],
    ['ENDHDR\n', 'ENDHD'],
  ] as const) {
    const bad = Buffer.from(good.toString('latin1').replace(from, to), 'latin1');
    await assert.rejects(probeWith(pamReader, bad), { code: 'corrupt_image' }, to);
  }
});

interface SgiRecipe {
  width: number;
  height: number;
  planes?: number;
  bytes?: 1 | 2;
  dimensions?: number;
  map?: number;
  coded?: boolean;
  body: number[];
}

function sgi({
  width,
  height,
  planes = 1,
  bytes = 1,
  dimensions = 3,
  map = 0,
  coded = false,
  body,
}: SgiRecipe): Buffer {
  const header = Buffer.alloc(512);
  header.writeUInt16BE(474, 0);
  header.set([coded ? 1 : 0, bytes], 2);
  for (const [index, value] of [dimensions, width, height, planes].entries())
    header.writeUInt16BE(value, 4 + index * 2);
  header.writeUInt32BE(map, 104);
  return Buffer.concat([header, Buffer.from(body)]);
}

test('SGI: reads planes, from the bottom up', async () => {
  const rgb = await readBitmap(
    sgiReader,
    sgi({ width: 2, height: 2, planes: 3, body: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] }),
  );
  assert.deepEqual([...rgb.data], [3, 7, 11, 4, 8, 12, 1, 5, 9, 2, 6, 10]);
  const alpha = await readBitmap(sgiReader, sgi({ width: 1, height: 1, planes: 4, body: [1, 2, 3, 4] }));
  assert.deepEqual([alpha.channels, ...alpha.data], [4, 1, 2, 3, 4]);
  const two = await readBitmap(sgiReader, sgi({ width: 1, height: 1, planes: 2, body: [1, 2] }));
  assert.deepEqual([two.channels, ...two.data], [2, 1, 2]);
  const five = await readBitmap(sgiReader, sgi({ width: 1, height: 1, planes: 5, body: [1, 2, 3, 4, 5] }));
  assert.deepEqual([...five.data], [1, 2, 3, 4], 'what comes after alpha means nothing');
  const flat = await readBitmap(sgiReader, sgi({ width: 2, height: 9, dimensions: 1, body: [1, 2] }));
  assert.deepEqual([flat.height, ...flat.data], [1, 1, 2]);
});

test('SGI: reads 16 bits', async () => {
  const { data } = await readBitmap(sgiReader, sgi({ width: 2, height: 1, bytes: 2, body: [1, 2, 3, 4] }));
  assert.deepEqual(data, Uint16Array.of(0x0102, 0x0304));
});

/** Writes rows of packets, with the offset and length of each in the tables. */
function sgiCoded(recipe: Omit<SgiRecipe, 'body' | 'coded'>, rows: readonly number[][]): Buffer {
  let at = 512 + rows.length * 8;
  const starts = rows.map((row) => {
    at += row.length;
    return at - row.length;
  });
  const tables = uint32(...starts, ...rows.map((row) => row.length));
  return sgi({ ...recipe, coded: true, body: [...tables, ...rows.flat()] });
}

test('SGI: reads runs and literals of 8 and 16 bits', async () => {
  const rows = [
    [3, 7, 0x82, 1, 2, 0],
    [0x85, 9, 8, 7, 6, 5, 0],
  ];
  const { data, truncated } = await readBitmap(sgiReader, sgiCoded({ width: 5, height: 2 }, rows));
  assert.deepEqual([...data], [9, 8, 7, 6, 5, 7, 7, 7, 1, 2]);
  assert.equal(truncated, false);
  const wide = [[0, 2, 0x12, 0x34, 0, 0x81, 0xab, 0xcd, 0, 0]];
  const words = await readBitmap(sgiReader, sgiCoded({ width: 3, height: 1, bytes: 2 }, wide));
  assert.deepEqual(words.data, Uint16Array.of(0x1234, 0x1234, 0xabcd));
});

test('SGI: reads colours of eight bits', async () => {
  const { data } = await readBitmap(
    sgiReader,
    sgi({ width: 3, height: 1, map: 1, body: [0b00000111, 0b00111000, 0b11000000] }),
  );
  assert.deepEqual([...data], [255, 0, 0, 0, 255, 0, 0, 0, 255]);
});

test('SGI: shows missing rows as black', async () => {
  const coded = sgiCoded({ width: 2, height: 3 }, [
    [2, 7, 0],
    [2, 8, 0],
    [2, 9, 0],
  ]);
  const cut = await readBitmap(sgiReader, coded.subarray(0, -3));
  assert.deepEqual([cut.truncated, ...cut.data], [true, 0, 0, 8, 8, 7, 7]);
  const plain = await readBitmap(sgiReader, sgi({ width: 2, height: 2, body: [1, 2, 3] }));
  assert.deepEqual([plain.truncated, ...plain.data], [true, 0, 0, 1, 2]);
  assert.ok(!isSgi(sgi({ width: 1, height: 1, map: 3, body: [1] })), 'a map of colours is no image');
  assert.ok(!isSgi(sgi({ width: 0, height: 1, body: [1] })));
  await assert.rejects(decodeWith(sgiReader, sgi({ width: 2, height: 2, body: [1] })), { code: 'corrupt_image' });
});

test('XV: reads thumbnails', async () => {
  const header = 'P7 332\n#IMGINFO:512x440 Indexed (21485 bytes)\n#END_OF_COMMENTS\n4 1 255\n';
  const file = Buffer.concat([Buffer.from(header), Buffer.from([0xe0, 0x1c, 0x03, 0b01001001])]);
  const { data } = await readBitmap(xvReader, file);
  assert.deepEqual([...data], [255, 0, 0, 0, 255, 0, 0, 0, 255, 72, 72, 85]);
  await assert.rejects(probeWith(xvReader, Buffer.from('P7 332\n0 1 255\n1')), { code: 'corrupt_image' });
});

function wal(width: number, height: number): Buffer {
  const header = Buffer.alloc(100);
  header.write('e1u1/floor', 'latin1');
  const pixels = width * height;
  for (const [index, value] of [width, height, 100, 100 + pixels, 100 + pixels * 1.25].entries()) {
    header.writeUInt32LE(value, 32 + index * 4);
  }
  return Buffer.concat([header, Buffer.from(Array.from({ length: pixels * 2 }, (_, at) => at & 255))]);
}

test('Quake II: reads textures', async () => {
  const file = wal(16, 16);
  const { data } = await readBitmap(walReader, file);
  assert.deepEqual([...data.subarray(0, 6)], [4, 4, 4, 45, 45, 45]);
  assert.equal(
    new Set(Array.from({ length: 256 }, (_, at) => data.subarray(at * 3, at * 3 + 3).join())).size > 200,
    true,
  );
  await assert.rejects(probeWith(walReader, wal(4097, 1)), { code: 'corrupt_image' });
  assert.equal((await readBitmap(walReader, file.subarray(0, 120))).truncated, true);
});

test('returns an image or a failure for damaged files', async () => {
  const image = makeSamples('runs', 20, 20, 4);
  const rows = Array.from({ length: 60 }, () => [5, 7, 0x82, 1, 2, 0]);
  const body = Array.from({ length: 400 }, (_, at) => at & 255);
  for (const [reader, seed] of [
    [qoiReader, qoi(image)],
    [farbfeldReader, Buffer.concat([Buffer.from('farbfeld'), uint32(5, 5), Buffer.from(body)])],
    [pamReader, pam(10, 10, 4, 255, 'RGB_ALPHA', body)],
    [pamReader, pam(10, 10, 2, 1000, 'GRAYSCALE_ALPHA', body)],
    [sgiReader, sgiCoded({ width: 7, height: 20, planes: 3 }, rows)],
    [sgiReader, sgi({ width: 10, height: 20, bytes: 2, body })],
    [xvReader, Buffer.concat([Buffer.from('P7 332\n#END_OF_COMMENTS\n20 20 255\n'), Buffer.from(body)])],
    [walReader, wal(16, 16)],
  ] as const) {
    assert.ok((await readDamaged(reader, [seed], 400)) > 30 * TRIED_PART);
  }
});
