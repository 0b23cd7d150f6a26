/** How bytes map to frames: native pixels, and fragments with and without offset tables (DICOM PS3.5, annex A.4). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeRle } from './encoders.ts';
import { decode, noise, probe, samplesOf } from './support.ts';
import { coded, dicomImage, EXPLICIT, type TestElement } from './write-dicom.ts';

const SIZE = { width: 8, height: 6 };
const PIXELS = SIZE.width * SIZE.height;
const RLE = coded('5');
/** A transfer syntax whose fragments do not show where a frame starts. */
const PLAIN = coded('1.98');
const FRAMES = [1, 2, 3].map((seed) => noise(PIXELS, 256, seed));
const PACKED = FRAMES.map((frame) => encodeRle([Uint8Array.from(frame)]));

/** Two fragments of each frame, the first of 70 bytes. */
const HALVES = PACKED.flatMap((frame) => [frame.subarray(0, 70), frame.subarray(70)]);
const ITEM_HEADER = 8;
const itemBytes = (bytes: Uint8Array) => ITEM_HEADER + bytes.length + (bytes.length % 2);

/** Returns the offset of each fragment from the first one. */
function offsets(fragments: readonly Uint8Array[]): number[] {
  let at = 0;
  return fragments.map((fragment) => {
    const start = at;
    at += itemBytes(fragment);
    return start;
  });
}

const everyOther = (values: number[]) => values.filter((_, index) => index % 2 === 0);

function rle(fragments: readonly Uint8Array[], table: readonly number[], more: TestElement[] = []): Uint8Array {
  return dicomImage(RLE, { ...SIZE, frames: 3, pixels: { table, fragments }, more });
}

async function assertAllFrames(file: Uint8Array): Promise<void> {
  assert.equal((await probe(file)).pages, 3);
  for (const [index, frame] of FRAMES.entries()) assert.deepEqual(await samplesOf(file, index + 1), frame);
  await assert.rejects(decode(file, 4), {
    code: 'page_out_of_range',
    message: 'Expected a page from 1 to 3 for page but received 4.',
  });
  await assert.rejects(probe(file, 4), { code: 'page_out_of_range' });
}

describe('fragments', () => {
  it('reads one fragment per frame, with and without a table', async () => {
    await assertAllFrames(rle(PACKED, offsets(PACKED)));
    await assertAllFrames(rle(PACKED, []));
  });

  const halves = FRAMES.flatMap((frame) => [Uint8Array.from(frame.slice(0, 20)), Uint8Array.from(frame.slice(20))]);
  const plain = (table: readonly number[], more: TestElement[] = []) =>
    dicomImage(PLAIN, { ...SIZE, frames: 3, pixels: { table, fragments: halves }, more });

  it('finds several fragments per frame by the basic offset table', async () => {
    await assertAllFrames(rle(HALVES, everyOther(offsets(HALVES))));
    await assertAllFrames(plain(everyOther(offsets(halves))));
  });

  it('finds several fragments per frame by the extended offset table', async () => {
    const long = (values: readonly number[]) => new Uint8Array(BigUint64Array.from(values, BigInt).buffer);
    const lengths = FRAMES.map((frame) => frame.length);
    const more: TestElement[] = [
      [0x7fe00001, 'OV', long(everyOther(offsets(halves)))],
      [0x7fe00002, 'OV', long(lengths)],
    ];
    await assertAllFrames(plain([], more));
  });

  it('finds several fragments per frame without a table by the start of a frame', async () => {
    await assertAllFrames(rle(HALVES, []));
  });

  it('ignores a table that points elsewhere', async () => {
    await assertAllFrames(rle(PACKED, [0, 6, 12]));
    await assertAllFrames(rle(HALVES, [1, 2, 3]));
  });

  it('ignores empty fragments', async () => {
    await assertAllFrames(rle([new Uint8Array(), ...PACKED, new Uint8Array()], []));
  });

  it('joins all fragments when there is only one frame', async () => {
    const file = dicomImage(RLE, { ...SIZE, pixels: { table: [], fragments: HALVES.slice(0, 2) } });
    assert.deepEqual(await samplesOf(file), FRAMES[0]);
  });
});

describe('a file that ends early', () => {
  it('keeps the frames that are there and the part of the last', async () => {
    const whole = dicomImage(EXPLICIT, { ...SIZE, frames: 3, pixels: Uint8Array.from(FRAMES.flat()) });
    const cut = whole.subarray(0, -PIXELS - 20);
    assert.equal((await probe(cut)).pages, 2);
    const content = await decode(cut, 2);
    assert.ok('bitmap' in content);
    assert.equal(content.bitmap.truncated, true);
    const rest = PIXELS - 20;
    assert.deepEqual(Array.from(content.bitmap.data), [...FRAMES[1]!.slice(0, rest), ...Array(20).fill(0)]);
    await assert.rejects(decode(cut, 3), { code: 'page_out_of_range' });
  });

  it('may end in the middle of a fragment', async () => {
    for (const table of [offsets(PACKED), []]) {
      const cut = rle(PACKED, table).subarray(0, -8 - itemBytes(PACKED[2]!) - 20);
      assert.equal((await probe(cut)).pages, 2);
      const content = await decode(cut, 2);
      assert.ok('bitmap' in content);
      assert.equal(content.bitmap.truncated, true);
      assert.deepEqual(Array.from(content.bitmap.data).slice(0, 20), FRAMES[1]!.slice(0, 20));
    }
  });

  it('may end in the middle of an uncompressed fragment', async () => {
    const fragments = FRAMES.map((frame) => Uint8Array.from(frame));
    const cut = dicomImage(PLAIN, { ...SIZE, frames: 3, pixels: { table: [], fragments } }).subarray(0, -8 - 10);
    const content = await decode(cut, 3);
    assert.ok('bitmap' in content);
    assert.equal(content.bitmap.truncated, true);
    assert.deepEqual(Array.from(content.bitmap.data), [...FRAMES[2]!.slice(0, -10), ...Array(10).fill(0)]);
  });

  it('may end before the first pixel', async () => {
    const whole = dicomImage(EXPLICIT, { ...SIZE, pixels: Uint8Array.from(FRAMES[0]!) });
    await assert.rejects(probe(whole.subarray(0, -PIXELS)), { code: 'corrupt_image' });
  });
});

it('handles a file that declares more frames than it has, or none', async () => {
  const pixels = Uint8Array.from(FRAMES.flat());
  assert.equal((await probe(dicomImage(EXPLICIT, { ...SIZE, frames: 2_000_000_000, pixels }))).pages, 3);
  assert.equal((await probe(dicomImage(EXPLICIT, { ...SIZE, frames: 0, pixels }))).pages, 1);
  assert.equal((await probe(dicomImage(EXPLICIT, { ...SIZE, pixels }))).pages, 1);
});
