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

/** Draws a disc with a soft edge. The transparent pixels around it have another colour, which is invisible. */
function disc(width: number, height: number): RawImage {
  const raw = pattern(width, height, 4);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const distance = Math.hypot(x - width / 2, y - height / 2) - Math.min(width, height) / 3;
      const at = (y * width + x) * 4;
      raw.data[at + 3] = Math.max(0, Math.min(255, 128 - distance * 40));
      if (raw.data[at + 3] === 0) raw.data.fill((x * 37 + y * 91) & 255, at, at + 3);
    }
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
