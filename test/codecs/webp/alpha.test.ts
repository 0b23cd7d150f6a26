/** Lossy WebP with transparency: alpha is kept exactly, and colour where it is visible. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { chunksOf } from '../../../codecs/metadata/webp.ts';
import { compileModules } from '../../../codecs/modules.ts';
import { startVips, withFreedHandles } from '../../../codecs/vips.ts';
import { encodeWebp } from '../../../codecs/webp.ts';
import { decode, pattern, type RawImage, sharpOf } from '../../support/test-images.ts';

const QUALITY = 75;
/** Filtering methods (RFC 9649, section 2.7.1.2). */
const UNFILTERED = 0;
const HORIZONTAL = 1;

const modules = await compileModules();
const { vips } = await startVips(modules);

function encode({ data, width, height, channels }: RawImage): Promise<Uint8Array> {
  return withFreedHandles(vips, async () => {
    const pixels = vips.Image.newFromMemory(data, width, height, channels, vips.BandFormat.uchar);
    return encodeWebp({ vips, modules }, pixels.copy({ interpretation: 'srgb' }), {
      quality: QUALITY,
      sharpChroma: false,
    });
  });
}

/**
 * Draws a disc with a soft edge. The transparent pixels around it have another colour, which is invisible.
 * @param slope levels of alpha per pixel at the edge
 */
function disc(width: number, height: number, slope = 40): RawImage {
  const raw = pattern(width, height, 4);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const distance = Math.hypot(x - width / 2, y - height / 2) - Math.min(width, height) / 3;
      const at = (y * width + x) * 4;
      raw.data[at + 3] = Math.max(0, Math.min(255, 128 - distance * slope));
      if (raw.data[at + 3] === 0) raw.data.fill((x * 37 + y * 91) & 255, at, at + 3);
    }
  return raw;
}

/** Gives a pattern this alpha. */
function withAlpha(width: number, height: number, levelAt: (x: number, y: number) => number): RawImage {
  const raw = pattern(width, height, 4);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) raw.data[(y * width + x) * 4 + 3] = levelAt(x, y);
  return raw;
}

/** Returns the mean square error of the colour of all pixels that are not fully transparent. */
function visibleError(a: RawImage, b: RawImage): number {
  let sum = 0;
  let count = 0;
  for (let at = 0; at < a.data.length; at += 4) {
    if (b.data[at + 3] === 0) continue;
    for (let band = 0; band < 3; band++) sum += (a.data[at + band]! - b.data[at + band]!) ** 2;
    count += 3;
  }
  return sum / count;
}

const alphaOf = ({ data }: RawImage) => data.filter((_, index) => index % 4 === 3);

describe('lossy WebP with transparency', () => {
  for (const [width, height] of [
    [1, 1],
    [17, 9],
    [64, 48],
    [333, 201],
  ] as const)
    it(`keeps alpha exactly, and colour as well as libwebp: ${width} x ${height}`, async () => {
      const source = disc(width, height);
      const file = await encode(source);
      const theirs = await sharpOf(source).webp({ quality: QUALITY }).toBuffer();
      const [own, peer] = [await decode(file), await decode(theirs)];
      assert.deepEqual(alphaOf(own), alphaOf(source));
      assert.ok(visibleError(own, source) < visibleError(peer, source) * 1.2 + 4, `${visibleError(own, source)}`);
      assert.ok(file.length < theirs.length * 1.1 + 16, `${file.length} of ${theirs.length}`);
    });

  for (const [title, source, filter] of [
    ['soft edges', disc(400, 300, 2), HORIZONTAL],
    ['soft edges of a large image', disc(1100, 700, 2), HORIZONTAL],
    ['a single column', disc(1, 300, 2), HORIZONTAL],
    ['a slope from edge to edge', withAlpha(200, 150, (x, y) => 20 + ((x * x + y * y * y) >> 8)), HORIZONTAL],
    ['blocks of five levels', withAlpha(400, 300, (x, y) => (((x >> 2) * 7 + (y >> 3) * 13) % 5) * 60), UNFILTERED],
  ] as const)
    it(`keeps ${title} exactly, in the smaller of two ways`, async () => {
      const file = await encode(source);
      const alpha = [...chunksOf(file)].find(({ name }) => name === 'ALPH')!;
      assert.equal((alpha.data[0]! >> 2) & 3, filter);
      assert.deepEqual(alphaOf(await decode(file)), alphaOf(source));
    });

  it('has no alpha if all pixels are opaque', async () => {
    const source = pattern(40, 30, 4);
    for (let at = 3; at < source.data.length; at += 4) source.data[at] = 255;
    const file = await encode(source);
    assert.deepEqual(
      [...chunksOf(file)].map(({ name }) => name),
      ['VP8 '],
    );
    assert.equal((await sharp(file).metadata()).hasAlpha, false);
  });

  it('is tiny for a fully transparent image', async () => {
    const source = pattern(200, 200, 4);
    for (let at = 3; at < source.data.length; at += 4) source.data[at] = 0;
    const file = await encode(source);
    assert.ok(alphaOf(await decode(file)).every((value) => value === 0));
    assert.ok(file.length < 400, `${file.length} bytes`);
  });
});
