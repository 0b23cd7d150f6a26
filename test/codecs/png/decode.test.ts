/** The PNG decoder compared with that of libvips. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import type { DecodedPixels } from '../../../codecs/decoded-image.ts';
import { Kernels } from '../../../codecs/kernels/kernels.ts';
import type { Chunk } from '../../../codecs/metadata/png-chunks.ts';
import { compileModules, type Modules } from '../../../codecs/modules.ts';
import { decodePng } from '../../../codecs/png/decode.ts';
import { passesOf } from '../../../codecs/png/rows.ts';
import { openSource } from '../../../codecs/read.ts';
import { decode, WHOLE_IMAGE } from '../../../codecs/source.ts';
import { startVips, type VipsApi } from '../../../codecs/vips.ts';
import { corpus, corpusFiles, corpusSkipReason } from '../../support/corpus.ts';
import { isNightly } from '../../support/nightly.ts';
import { Random } from '../../support/random.ts';
import { decode as decodeWithSharp, pattern, sharpOf } from '../../support/test-images.ts';
import { brokenPngs, smallPngs, tamperedPngs } from './damaged.ts';
import { FILTERS, headerOf, isSame, KINDS, loadWithVips, makePng, type PngKind, withChunks } from './files.ts';

const MAX_BYTES = 64e6;
/** Number of forged files. A run with 30,000 found no error either. */
const FORGED_FILES = isNightly ? 1500 : 300;
/** Filters have loops for 8 and 16 bytes, and passes of interlaced images are 8 times narrower. */
const WIDTHS = isNightly ? Array.from({ length: 17 }, (_, index) => 1 + index) : [1, 7, 9, 17];

describe('decodePng', () => {
  let modules: Modules;
  let vips: VipsApi;
  let releaseHandles: () => number;
  let kernels: Kernels;
  const random = new Random(1);

  before(async () => {
    modules = await compileModules();
    ({ vips, releaseHandles } = await startVips(modules));
    kernels = new Kernels(modules.kernels);
  });

  /** Decodes a file with libvips. */
  function load(file: Uint8Array): ReturnType<typeof loadWithVips> {
    // Not after every file: each release permanently takes some of libvips' stack, which suffices for 8,000 releases.
    if (vips.deletionQueue.length > 100) releaseHandles();
    return loadWithVips(vips, file);
  }

  /** Checks that both decoders read the file and return the same pixels. */
  function assertSame(file: Uint8Array, name: string): DecodedPixels {
    const expected = load(file);
    assert.ok(expected, `libvips does not read ${name}`);
    const { width, height } = expected;
    const own = decodePng(kernels, file, { width, height, maxBytes: MAX_BYTES });
    assert.ok(own, `${name} is not decoded`);
    assert.ok(isSame(own, expected), `${name} is another image`);
    return own;
  }

  /** Returns whether the decoder reads the file. If it does, checks the pixels against libvips. */
  function isDecoded(file: Uint8Array, name: string): boolean {
    const own = decodePng(kernels, file, { ...sizeIn(file), maxBytes: MAX_BYTES });
    if (!own) return false;
    const expected = load(file);
    assert.ok(expected && isSame(own, expected), `${name}: ${Buffer.from(file).toString('base64')}`);
    return true;
  }

  it('gives the samples of real files as libvips does', { skip: corpusSkipReason }, () => {
    const files = corpusFiles('png').filter((path) => !NOT_DECODED.has(path) && path.endsWith('.png'));
    assert.ok(files.length > 100);
    for (const path of files) assertSame(corpus(path)!, path);
  });

  it('leaves unusual and damaged files to libvips', { skip: corpusSkipReason }, () => {
    for (const path of NOT_DECODED) assert.equal(isDecoded(corpus(path)!, path), false, path);
  });

  for (const interlaced of [false, true])
    it(`reads every colour type, depth, filter and width, ${interlaced ? 'interlaced' : 'in one pass'}`, () => {
      for (const { colour, depth } of KINDS)
        for (const width of WIDTHS)
          for (const filter of [...FILTERS, undefined]) {
            const height = 1 + random.integer(10);
            const kind: PngKind = { width, height, colour, depth, interlaced, ...(filter !== undefined && { filter }) };
            assertSame(makePng(random, kind), JSON.stringify(kind));
          }
    });

  it('reads the transparency of every colour type and depth', () => {
    for (const { colour, depth } of KINDS.filter((kind) => kind.colour <= 3))
      for (const interlaced of [false, true])
        for (const width of [1, 3, 8, 33]) {
          const key = Buffer.from(Array.from({ length: colour === 2 ? 6 : 2 }, () => random.integer(2)));
          // The high byte of a sample below 16 bits is 0.
          const colourKey = depth === 16 ? key : key.map((byte, at) => (at % 2 === 0 ? 0 : byte));
          const colours = Buffer.from(
            Array.from({ length: 1 + random.integer(2 ** depth) }, () => random.integer(256)),
          );
          const transparency = colour === 3 ? colours : colourKey;
          const kind: PngKind = { width, height: 40, colour, depth, interlaced, transparency, below: 2, filter: 0 };
          if (colour === 3 || depth < 8) kind.below = 256;
          const { data, bands } = assertSame(makePng(random, kind), JSON.stringify(kind));
          if (width < 33 || colour === 3) continue;
          const step = (bands * (depth === 16 ? 16 : 8)) / 8;
          const alphas = new Set(data.filter((_, at) => at % step === step - 1));
          assert.deepEqual([...alphas].sort(), [0, 255], JSON.stringify(kind));
        }
  });

  it('reads images of many strips without more kernel memory', () => {
    const before = memoryOf(kernels);
    for (const kind of [
      { width: 500, height: 1200, colour: 2, depth: 8 },
      { width: 300, height: 900, colour: 6, depth: 16, interlaced: true },
      { width: 2000, height: 700, colour: 3, depth: 4, transparency: Uint8Array.of(9) },
    ])
      assertSame(makePng(random, kind), JSON.stringify(kind));
    const more = memoryOf(kernels) - before;
    assert.ok(more < 2e6, `${more} bytes`);
  });

  it('reads what encoders write, with any window and in any number of chunks', async () => {
    const { data: rows, width, height } = pattern(130, 90, 4);
    const filtered = Buffer.concat(
      Array.from({ length: height }, (_, y) =>
        Buffer.concat([Buffer.of(0), rows.subarray(y * width * 4, (y + 1) * width * 4)]),
      ),
    );
    const file = await sharpOf(pattern(130, 90, 4))
      .png()
      .toBuffer();
    const own = assertSame(file, 'of sharp');
    assert.deepEqual(Buffer.from(own.data), (await decodeWithSharp(file)).data);
    const whole = withChunks(file, (chunks) => [
      chunks[0]!,
      ...[...deflateSync(filtered)].map((byte) => ({ name: 'IDAT', data: Uint8Array.of(byte) })),
      { name: 'tEXt', data: Buffer.from('a\0b') },
      chunks.at(-1)!,
    ]);
    assert.ok(isSame(assertSame(whole, 'many chunks'), own));
    const small = withDeclaredWindow(makePng(random, { width: 3, height: 3, colour: 2, depth: 8 }), 9);
    assertSame(small, 'of a small window');
    // libpng refuses references beyond the declared window; zlib accepts them.
    assert.equal(isDecoded(withDeclaredWindow(file, 9), 'beyond its window'), false);
  });

  it('returns nothing for a size other than the expected one, and for images that are too large', () => {
    const file = makePng(random, { width: 12, height: 8, colour: 2, depth: 8 });
    const size = { width: 12, height: 8 };
    assert.ok(decodePng(kernels, file, { ...size, maxBytes: 288 }));
    assert.equal(decodePng(kernels, file, { ...size, maxBytes: 287 }), undefined);
    assert.equal(decodePng(kernels, file, { width: 8, height: 12, maxBytes: MAX_BYTES }), undefined);
    const long = { width: 2 ** 17 + 1, height: 1, colour: 6, depth: 16 };
    const rows = Buffer.alloc(passesOf(headerOf(long))[0]!.rowBytes);
    const tooLong = makePng(random, long, rows);
    assert.equal(decodePng(kernels, tooLong, { ...long, maxBytes: MAX_BYTES }), undefined);
    const longest = { ...long, width: 2 ** 17 };
    assert.ok(decodePng(kernels, makePng(random, longest, rows.subarray(8)), { ...longest, maxBytes: MAX_BYTES }));
  });

  it('does not change the memory blocks of others', () => {
    kernels.free();
    const block = kernels.place(Uint8Array.of(1, 2, 3));
    const end = kernels.end;
    assertSame(makePng(random, { width: 40, height: 30, colour: 3, depth: 8, interlaced: true }), 'beside a block');
    assert.deepEqual([...kernels.bytes(block, 3)], [1, 2, 3]);
    assert.equal(kernels.end, end);
    kernels.free();
  });

  it('returns nothing for changed or truncated files, unless libvips decodes the same pixels', () => {
    const files = smallPngs(random);
    for (const file of files) assert.ok(isDecoded(file, 'whole'));
    for (const file of brokenPngs(files, random)) assert.equal(isDecoded(file, 'broken'), false);
  });

  it('returns nothing for changed chunks or rows with valid checksums, unless libvips decodes the same pixels', () => {
    const decoded = [...tamperedPngs(smallPngs(random), FORGED_FILES, 2)].filter((file) => isDecoded(file, 'forged'));
    // Some changes still give a valid image.
    assert.ok(decoded.length > FORGED_FILES / 20 && decoded.length < FORGED_FILES / 2, `${decoded.length} decoded`);
  });

  it('leaves files with wrong or misplaced chunks to libvips', () => {
    type Parts = Pick<Chunk, 'name' | 'data'>[];
    const isDecodedWith = (kind: Omit<PngKind, 'width' | 'height'>, change: (chunks: Parts) => Parts) => {
      const file = withChunks(makePng(random, { width: 4, height: 3, below: 1, ...kind }), change);
      return decodePng(kernels, file, { width: 4, height: 3, maxBytes: MAX_BYTES }) !== undefined;
    };
    const same = (chunks: Parts) => chunks;
    const put = (name: string, bytes: readonly number[], before: string) => (chunks: Parts) =>
      chunks.toSpliced(
        chunks.findIndex((each) => each.name === before),
        0,
        { name, data: Uint8Array.from(bytes) },
      );
    const without = (name: string) => (chunks: Parts) => chunks.filter((each) => each.name !== name);
    const header = (at: number, value: number) => (chunks: Parts) =>
      chunks.with(0, { name: 'IHDR', data: chunks[0]!.data.with(at, value) });
    const grey = { colour: 0, depth: 8 };
    const rgb = { colour: 2, depth: 8 };
    const indexed = { colour: 3, depth: 2 };
    const [greyKey, rgbKey, alphas] = [Uint8Array.of(0, 1), Uint8Array.of(0, 1, 0, 2, 0, 3), Uint8Array.of(9, 8)];
    for (const [name, kind, change, isGood] of [
      ['grey', { ...grey, transparency: greyKey }, same, true],
      ['RGB', { ...rgb, transparency: rgbKey }, same, true],
      ['indexed', { ...indexed, transparency: alphas }, same, true],
      ['tRNS of a larger sample', { ...grey, transparency: Uint8Array.of(1, 1) }, same, false],
      ['tRNS that is too long', { ...grey, transparency: Uint8Array.of(0, 1, 0) }, same, false],
      ['tRNS beside alpha', { colour: 6, depth: 8 }, put('tRNS', [0, 1], 'IDAT'), false],
      ['tRNS twice', { ...grey, transparency: greyKey }, put('tRNS', [0, 1], 'IDAT'), false],
      ['tRNS before PLTE', indexed, put('tRNS', [9], 'PLTE'), false],
      ['tRNS behind the data', grey, put('tRNS', [0, 1], 'IEND'), false],
      ['tRNS of more colours than there are', { ...indexed, transparency: new Uint8Array(5) }, same, false],
      ['PLTE of RGB', rgb, put('PLTE', [1, 2, 3], 'IDAT'), true],
      ['PLTE behind tRNS', { ...rgb, transparency: rgbKey }, put('PLTE', [1, 2, 3], 'IDAT'), false],
      ['PLTE behind the data', rgb, put('PLTE', [1, 2, 3], 'IEND'), false],
      ['PLTE of grey', grey, put('PLTE', [1, 2, 3], 'IDAT'), false],
      ['PLTE twice', indexed, put('PLTE', [1, 2, 3], 'IDAT'), false],
      ['PLTE of a part of a colour', rgb, put('PLTE', [1, 2, 3, 4], 'IDAT'), false],
      ['PLTE of more colours than the depth has', { ...indexed, colours: 5 }, same, false],
      ['no PLTE', indexed, without('PLTE'), false],
      ['no data', grey, without('IDAT'), false],
      ['no end', grey, without('IEND'), false],
      ['an end with content', grey, (chunks: Parts) => put('IEND', [1], 'IEND')(chunks).slice(0, -1), false],
      ['data in two places', grey, (chunks: Parts) => chunks.toSpliced(2, 0, { ...chunks[0]!, name: 'tEXt' }), false],
      ['an unknown chunk', grey, put('abCD', [1], 'IDAT'), true],
      ['an unknown chunk that must be known', grey, put('ABCD', [1], 'IDAT'), false],
      ['an unknown compression', grey, header(10, 1), false],
      ['an unknown way to filter', grey, header(11, 1), false],
      ['an unknown way to interlace', grey, header(12, 2), false],
      ['an unknown depth', grey, header(8, 3), false],
      ['an unknown colour type', grey, header(9, 5), false],
    ] as const)
      assert.equal(isDecodedWith(kind, change), isGood, name);
  });

  it('rejects missing rows, too many rows, unknown filters, and indices beyond the palette', () => {
    const kind = { width: 6, height: 4, colour: 3, depth: 8, colours: 5 };
    const rows = Buffer.alloc(4 * 7);
    const isRead = (changed: Uint8Array) => isDecoded(makePng(random, kind, changed), 'changed rows');
    assert.equal(isRead(rows), true);
    assert.equal(isRead(rows.subarray(1)), false);
    assert.equal(isRead(Buffer.concat([rows, Buffer.alloc(1)])), false);
    const behind = { name: 'IDAT', data: Uint8Array.of(0) };
    const longer = withChunks(makePng(random, kind, rows), (chunks) => [
      ...chunks.slice(0, -1),
      behind,
      ...chunks.slice(-1),
    ]);
    assert.equal(isDecoded(longer, 'more data than the rows have'), false);
    for (const [at, value, isGood] of [
      [7, 4, true],
      [7, 5, false],
      [27, 4, true],
      [27, 5, false],
    ] as const) {
      const changed = Buffer.from(rows);
      changed[at] = value;
      assert.equal(isRead(changed), isGood, `${at}: ${value}`);
    }
  });

  it('is used to open a source', async () => {
    for (const [file, keepDepth] of [
      [await sharpOf(pattern(70, 50)).png().toBuffer(), false],
      [await sharpOf(pattern(70, 50)).png({ palette: true }).toBuffer(), false],
      [
        await sharpOf(pattern(70, 50, 4))
          .withIccProfile('p3')
          .png({ progressive: true })
          .toBuffer(),
        false,
      ],
      [makePng(random, { width: 7, height: 9, colour: 4, depth: 16 }), true],
      [makePng(random, { width: 7, height: 9, colour: 0, depth: 1 }), false],
    ] as const) {
      const context = { vips, modules };
      const source = await openSource(context, { bytes: file, format: 'png', page: 1 });
      const request = { ...WHOLE_IMAGE, keepDepth, keepProfile: true };
      const { frames, icc, inMemory } = await decode(vips, source, request);
      const streamed = await source.open({ ...request, sequential: source.streams });
      const [one, other] = [frames[0], streamed.frames[0]];
      assert.deepEqual(
        [one.width, one.height, one.bands, one.format, one.interpretation, icc],
        [other.width, other.height, other.bands, other.format, other.interpretation, streamed.icc],
      );
      assert.deepEqual(one.writeToMemory(), other.writeToMemory());
      // Pixels decoded by libvips would have been copied.
      if (!keepDepth) assert.equal(inMemory, true);
      releaseHandles();
    }
  });
});

/** Returns the size in the header. A file without a header counts as 1 x 1. */
function sizeIn(file: Uint8Array): { width: number; height: number } {
  const bytes = Buffer.from(file);
  return bytes.length < 24
    ? { width: 1, height: 1 }
    : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** Returns the size of the kernels' memory in bytes. */
function memoryOf(kernels: Kernels): number {
  return kernels.bytes(0, 0).buffer.byteLength;
}

/** Returns the file with a declared window of 2 to the power of `bits` (RFC 1950, section 2.2). */
function withDeclaredWindow(file: Uint8Array, bits: number): Buffer {
  return withChunks(file, (chunks) => {
    const first = chunks.findIndex(({ name }) => name === 'IDAT');
    const data = Buffer.from(chunks[first]!.data);
    data[0] = ((bits - 8) << 4) | 8;
    data[1] = 31 - ((data[0] * 256) % 31);
    return chunks.with(first, { ...chunks[first]!, data });
  });
}

/** A file whose image data are in two places. */
const NOT_DECODED: ReadonlySet<string> = new Set(['png/pillow--hopper_idat_after_image_end.png']);
