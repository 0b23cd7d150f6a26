/** `trim` of compress: the size and the pixels of what is left, and what comes after it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { compressParams } from '../../../engine/operations/compress/params.ts';
import { sourceParams } from '../../../engine/operations/parameters.ts';
import { createPool } from '../../../engine/pool.ts';
import { DEFAULT_LIMITS } from '../../../engine/settings.ts';
import { compress, ownBuffer } from '../../support/engine.ts';
import {
  decode,
  difference,
  flat,
  jpeg,
  pattern,
  pixel,
  png,
  type RawImage,
  sharpOf,
} from '../../support/test-images.ts';
import { joinTiffs } from '../../support/tiff-pages.ts';
import { decodeAnimation, makeGif } from '../gif/support.ts';

const WIDTH = 100;
const HEIGHT = 60;
const MARGIN = { left: 11, right: 23, top: 7, bottom: 31 };
const AREA = { left: MARGIN.left, top: MARGIN.top, width: WIDTH, height: HEIGHT };
/** No corner of it is white or clear. */
const content = pattern(WIDTH, HEIGHT);

const bordered = (background = '#ffffff', image: RawImage = content): Sharp =>
  sharpOf(image).extend({ ...MARGIN, background });

const PNG = { format: 'png', mode: 'lossless' } as const;
const sizeOf = ({ width, height }: { width: number; height: number }) => [width, height];

async function isContent(result: Uint8Array, expected: RawImage = content): Promise<void> {
  assert.deepEqual(difference(await decode(result), expected), { max: 0, mean: 0 });
}

describe('compress with trim', () => {
  it('cuts exactly the border, whatever its colour and the orientation', async () => {
    for (const colour of ['#ffffff', '#000000', '#c81e5a']) {
      const result = await compress(await bordered(colour).png().toBuffer(), { ...PNG, trim: true });
      assert.deepEqual(sizeOf(result), [WIDTH, HEIGHT]);
      assert.deepEqual(result.warnings, []);
      await isContent(result.bytes);
    }
    const turned = await bordered().withMetadata({ orientation: 6 }).png().toBuffer();
    const upright = await decode(await sharpOf(content).rotate(90).png().toBuffer());
    await isContent((await compress(turned, { ...PNG, trim: true })).bytes, upright);
  });

  it('keeps the border without it', async () => {
    const result = await compress(await bordered().png().toBuffer(), PNG);
    assert.deepEqual(sizeOf(result), [WIDTH + 34, HEIGHT + 38]);
  });

  it('comes before the crop, the resize and a new border', async () => {
    const source = await bordered().png().toBuffer();
    const cropped = await compress(source, { ...PNG, trim: true, crop: '10,20,30,15' });
    await isContent(
      cropped.bytes,
      await decode(await sharpOf(content).extract({ left: 10, top: 20, width: 30, height: 15 }).png().toBuffer()),
    );
    const outside = compress(source, { trim: true, crop: '80,0,30,15' });
    await assert.rejects(outside, /box inside the 100 x 60 image for crop/);
    assert.deepEqual(sizeOf(await compress(source, { trim: true, width: 50, format: 'webp' })), [50, 30]);
    // The source is wide enough, its content is not.
    assert.deepEqual(sizeOf(await compress(source, { trim: true, width: 120 })), [WIDTH, HEIGHT]);
    assert.deepEqual(sizeOf(await compress(source, { trim: true, crop_ratio: '1:1', focus: '0,0' })), [60, 60]);
    const covered = await compress(source, { trim: true, width: 30, height: 30, fit: 'cover', focus: '1,0.5' });
    assert.deepEqual(sizeOf(covered), [30, 30]);
    const framed = await compress(source, { ...PNG, trim: true, border: 5, border_color: '#ffffff' });
    assert.deepEqual(sizeOf(framed), [WIDTH + 10, HEIGHT + 10]);
    assert.deepEqual(pixel(await decode(framed.bytes), 4, 30), [255, 255, 255]);
  });

  it('works in every mode', async () => {
    const source = await jpeg(await decode(await bordered().png().toBuffer()), 95);
    for (const params of [
      { mode: 'smart' },
      { mode: 'target', target_bytes: 2500 },
      { mode: 'lossless', format: 'webp' },
      { score: true },
      { fingerprint: true },
    ] as const) {
      const { width, height } = await compress(source, { ...params, trim: true });
      // A JPEG changes pixels near the content.
      assert.ok(Math.abs(width - WIDTH) <= 8 && Math.abs(height - HEIGHT) <= 8, `${width} x ${height}`);
    }
  });

  it('cuts noise up to the threshold', async () => {
    const raw = await decode(await bordered('#808080').png().toBuffer());
    let seed = 1;
    for (let at = 0; at < raw.data.length; at += 1) {
      const x = Math.floor(at / 3) % raw.width;
      const y = Math.floor(at / 3 / raw.width);
      const inside = x >= AREA.left && x < AREA.left + WIDTH && y >= AREA.top && y < AREA.top + HEIGHT;
      seed = (seed * 1103515245 + 12345) % 2147483648;
      if (!inside) raw.data[at] = 128 + (Math.floor(seed / 65536) % 13);
    }
    const source = await png(raw);
    assert.deepEqual(sizeOf(await compress(source, { trim: true, trim_threshold: 12 })), [WIDTH, HEIGHT]);
    const strict = await compress(source, { trim: true, trim_threshold: 3 });
    assert.ok(strict.width > WIDTH && strict.height > HEIGHT, `${strict.width} x ${strict.height}`);
  });

  it('cuts clear pixels of any colour', async () => {
    const opaque = await decode(await sharpOf(content).ensureAlpha().png().toBuffer());
    const raw = await decode(await bordered('#00000000', opaque).png().toBuffer());
    for (let at = 0; at < raw.data.length; at += 4)
      if (raw.data[at + 3] === 0) raw.data.set([at % 251, at % 241, at % 239], at);
    await isContent((await compress(await png(raw), { ...PNG, trim: true })).bytes);
    // Without alpha in the result, the clear border is cut before it is painted.
    assert.deepEqual(sizeOf(await compress(await png(raw), { trim: true, format: 'jpeg' })), [WIDTH, HEIGHT]);
  });

  it('keeps 16 bits, and measures them', async () => {
    const deep = sharpOf(content)
      .toColourspace('rgb16')
      .extend({ ...MARGIN, background: '#ffffff' });
    const source = await deep.png().toBuffer();
    const result = await compress(source, { ...PNG, trim: true });
    assert.deepEqual(sizeOf(result), [WIDTH, HEIGHT]);
    const read = async (image: Sharp) => image.toColourspace('rgb16').raw({ depth: 'ushort' }).toBuffer();
    assert.ok((await read(sharp(result.bytes))).equals(await read(sharp(source).extract(AREA))));
    assert.equal((await sharp(result.bytes).metadata()).depth, 'ushort');
  });

  it('cuts an animation to what is inside the borders of all frames', async () => {
    const frame = (left: number, top: number) => {
      const isInside = (x: number, y: number) => x >= left && x < left + 6 && y >= top && y < top + 4;
      const indices = Array.from({ length: 40 * 30 }, (_, at) => (isInside(at % 40, Math.floor(at / 40)) ? 1 : 0));
      return { width: 40, height: 30, indices };
    };
    const frames = [frame(10, 8), frame(20, 3), frame(12, 15)];
    const source = makeGif({ width: 40, height: 30, frames, table: [0xffffff, 0xc80000], repeats: 0 });
    const result = await compress(source, { trim: true });
    assert.deepEqual(sizeOf(result), [16, 16]);
    const decoded = await decodeAnimation(result.bytes);
    const isRed = (at: number, x: number, y: number) => pixel(decoded.frames[at]!, x, y)[1] === 0;
    assert.deepEqual(
      [decoded.frames.length, isRed(0, 0, 5), isRed(1, 15, 0), isRed(2, 2, 15), isRed(2, 0, 5)],
      [3, true, true, true, false],
    );
    // Of one frame, only its own border matters.
    assert.deepEqual(sizeOf(await compress(source, { trim: true, format: 'png' })), [6, 4]);
  });

  it('leaves an image without a border as it is', async () => {
    const source = await png(content);
    const result = await compress(source, { trim: true, mode: 'lossless' });
    assert.deepEqual([sizeOf(result), result.warnings], [[WIDTH, HEIGHT], []]);
    const photo = await jpeg(content, 40);
    const kept = await compress(photo, { trim: true, quality: 90 });
    assert.equal(kept.outcome, (await compress(photo, { quality: 90 })).outcome);
    assert.ok(kept.bytes.equals((await compress(photo, { quality: 90 })).bytes));
  });

  it('warns of an image of one colour, which stays as it is', async () => {
    const result = await compress(await png(flat(30, 20, 250, 250, 250)), { trim: true });
    assert.deepEqual([sizeOf(result), result.warnings], [[30, 20], ['image_uniform']]);
    const dot = flat(30, 20, 250, 250, 250);
    dot.data.set([0, 0, 0], (7 * 30 + 12) * 3);
    assert.deepEqual(sizeOf(await compress(await png(dot), { trim: true })), [1, 1]);
  });

  it('keeps the coefficients of a JPEG whose content begins at a block', async () => {
    const blocks = await sharpOf(pattern(96, 64))
      .extend({ left: 16, right: 24, top: 32, bottom: 8, background: '#fff' })
      .jpeg({ quality: 92, chromaSubsampling: '4:4:4' })
      .toBuffer();
    const result = await compress(blocks, { trim: true, quality: 100 });
    assert.deepEqual(sizeOf(result), [96, 64]);
    await isContent(
      result.bytes,
      await decode(await sharp(blocks).extract({ left: 16, top: 32, width: 96, height: 64 }).png().toBuffer()),
    );
    assert.ok(result.bytes.length < blocks.length);
  });

  it('renders an SVG so that its content has the requested size', async () => {
    const svg = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24"><path fill="#d00" d="M8 6h8v12H8z"/></svg>',
    );
    const result = await compress(svg, { trim: true, width: 400 });
    assert.deepEqual([sizeOf(result), result.format], [[400, 600], 'png']);
    const drawn = await decode(result.bytes);
    // An enlarged drawing of 8 pixels would have soft edges.
    for (const x of [1, 200, 398]) assert.deepEqual(pixel(drawn, x, 300).slice(0, 3), [221, 0, 0]);
  });

  it('trims each page of a TIFF', async () => {
    const page = (image: Sharp) => image.tiff({ compression: 'none' }).toBuffer();
    const small = sharpOf(pattern(40, 30)).extend({ left: 50, top: 5, background: '#00ff00' });
    const result = await compress(joinTiffs([await page(bordered()), await page(small)]), { trim: true });
    const sizes = await Promise.all(
      [0, 1].map(async (number) => sizeOf(await sharp(result.bytes, { page: number }).metadata())),
    );
    assert.deepEqual(sizes, [
      [WIDTH, HEIGHT],
      [40, 30],
    ]);
  });

  it('measures an image that is too large to be held', async () => {
    const limits = { ...DEFAULT_LIMITS, decodedBytes: 16 * 2 ** 20 };
    const pool = await createPool({ workers: 1, limits, warmThreads: false });
    const trimmed = async (area: { left: number; top: number; width: number; height: number }) => {
      const { left, top, width, height } = area;
      const [right, bottom] = [1600 - left - width, 2400 - top - height];
      const source = await sharpOf(pattern(width, height))
        .extend({ left, top, right, bottom, background: '#fafafa' })
        .png()
        .toBuffer();
      const params = compressParams.extend(sourceParams.shape).parse({ ...PNG, trim: true });
      return await pool.run('compress', { image: { data: ownBuffer(source) }, params });
    };
    try {
      for (const area of [
        { left: 234, top: 98, width: 801, height: 999 },
        // A border that is only below the image is known after its last row.
        { left: 0, top: 0, width: 1600, height: 1100 },
      ]) {
        const result = await trimmed(area);
        await isContent(Buffer.from(result.data), pattern(area.width, area.height));
      }
    } finally {
      await pool.close();
    }
  });

  it('trims what can be read of a file that ends early', async () => {
    const source = await bordered().png({ compressionLevel: 0 }).toBuffer();
    const result = await compress(source.subarray(0, source.length * 0.9), { trim: true, mode: 'lossless' });
    assert.ok(result.warnings.includes('truncated_source'));
    assert.equal(result.height <= HEIGHT + MARGIN.bottom, true);
  });
});
