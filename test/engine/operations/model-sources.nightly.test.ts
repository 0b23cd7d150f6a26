/**
 * The same images in every kind of file through each of the five operations with a model. The result must match that of
 * the plain files. One image has a face, whose owner is also the subject; the other has text.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { blankPng } from '../../support/blank-png.ts';
import { corpus } from '../../support/corpus.ts';
import { failureOf } from '../../support/failure.ts';
import { decode, difference, flat, png, type RawImage, sharpOf } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { blurFaces } from '../blur-faces/support.ts';
import { astronaut, type Found, findFaces, noFaces, overlap } from '../faces/support.ts';
import { drawPage } from '../ocr/pages.ts';
import { ocr } from '../ocr/support.ts';
import { cut } from '../remove-background/support.ts';
import { upscale } from '../upscale/support.ts';

const WORDS = ['The quick brown fox jumps', 'over the lazy dog 2048'];
const SIDE = 256;

const portrait = async (): Promise<RawImage> => decode(await astronaut().resize(SIDE).removeAlpha().png().toBuffer());
const textPage = async (): Promise<RawImage> =>
  decode(
    await sharpOf(await drawPage(WORDS, { size: 26 }))
      .removeAlpha()
      .png()
      .toBuffer(),
  );

interface OperationResults {
  width: number;
  height: number;
  /** The share of each pixel that belongs to the subject. */
  subject: RawImage;
  doubled: RawImage;
  face: Found;
  covered: RawImage;
}

/** Converts to grey, because some kinds of files have no colours. Transparent pixels become white. */
async function greyOf(bytes: Uint8Array): Promise<RawImage> {
  const { data, info } = await sharp(bytes)
    .flatten({ background: '#fff' })
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels };
}

async function subjectOf(bytes: Uint8Array): Promise<RawImage> {
  const { data, info } = await sharp(bytes).extractChannel(3).raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: 1 };
}

/** Runs all operations except ocr. */
async function runAll(file: Uint8Array, page = 1): Promise<OperationResults> {
  const { width, height, faces } = await findFaces(file, { page });
  assert.equal(faces.length, 1, JSON.stringify(faces));
  const covered = await blurFaces(file, { page, format: 'png' });
  assert.equal(covered.faces, 1);
  return {
    width,
    height,
    subject: await subjectOf((await cut(file, { page })).bytes),
    doubled: await greyOf((await upscale(file, { page, format: 'png' })).bytes),
    face: faces[0]!,
    covered: await greyOf(covered.bytes),
  };
}

function assertSame(seen: OperationResults, expected: OperationResults, kind: string): void {
  assert.deepEqual([seen.width, seen.height], [expected.width, expected.height], kind);
  assert.ok(overlap(seen.face, expected.face) > 0.8, `${kind}: ${JSON.stringify(seen.face)}`);
  for (const [what, most] of [
    ['subject', 12],
    ['doubled', 6],
    ['covered', 6],
  ] as const) {
    const { mean } = difference(seen[what], expected[what]);
    assert.ok(mean < most, `${kind}: ${what} differs by ${mean}`);
  }
}

/** Encodes a file that displays as the image with this orientation. */
async function turned(image: RawImage, orientation: number): Promise<Buffer> {
  // Each orientation is its own inverse, except for the two quarter turns, which are each other's.
  const inverse = { 6: 8, 8: 6 }[orientation] ?? orientation;
  const tagged = await sharpOf(image).tiff().withMetadata({ orientation: inverse }).toBuffer();
  const stored = await sharp(tagged).autoOrient().png().toBuffer();
  return sharp(stored).jpeg({ quality: 95 }).withMetadata({ orientation }).toBuffer();
}

/** Makes a corner of the image transparent. */
async function withHole(image: RawImage): Promise<Sharp> {
  const { width, height } = image;
  const alpha = Buffer.alloc(width * height, 255);
  for (let y = 0; y < 30; y += 1) alpha.fill(0, y * width, y * width + 30);
  // Encodes first. Otherwise sharp would also apply later steps to the new channel.
  const joined = sharpOf(image).joinChannel(alpha, { raw: { width, height, channels: 1 } });
  return sharp(await joined.png().toBuffer());
}

/** Returns the image as the second frame of an animation. */
async function secondFrame(image: RawImage): Promise<Sharp> {
  const { width, height, data } = image;
  const raw = { width, height: 2 * height, channels: 3 as const, pageHeight: height };
  return sharp(Buffer.concat([flat(width, height, 220, 30, 30).data, data]), { raw });
}

const KINDS: Record<string, { page?: number; file: (image: RawImage) => Promise<Buffer> }> = {
  ...Object.fromEntries(
    [5, 6, 7, 8].map((orientation) => [
      `turned by orientation ${orientation}`,
      { file: (image: RawImage) => turned(image, orientation) },
    ]),
  ),
  cmyk: { file: (image) => sharpOf(image).toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer() },
  deep: { file: (image) => sharpOf(image).toColourspace('rgb16').png().toBuffer() },
  grey: { file: (image) => sharpOf(image).greyscale().jpeg({ quality: 95 }).toBuffer() },
  'see-through': { file: async (image) => (await withHole(image)).png().toBuffer() },
  'grey and see-through': { file: async (image) => (await withHole(image)).toColourspace('b-w').png().toBuffer() },
  'of a palette and see-through': {
    file: async (image) => (await withHole(image)).png({ palette: true }).toBuffer(),
  },
  'animated, GIF': { page: 2, file: async (image) => (await secondFrame(image)).gif().toBuffer() },
  'animated, WebP': { page: 2, file: async (image) => (await secondFrame(image)).webp({ quality: 95 }).toBuffer() },
};

describe('one image in all operations with a model', { skip: noFaces }, () => {
  let expected: Promise<{ face: RawImage; page: RawImage; seen: OperationResults }> | undefined;
  const plain = () => {
    expected ??= (async () => {
      const face = await portrait();
      return { face, page: await textPage(), seen: await runAll(await png(face)) };
    })();
    return expected;
  };

  it('is processed as it is', async () => {
    const { seen, page } = await plain();
    const { x, y, width } = seen.face;
    const centre = Math.round(y + width / 2) * SIDE + Math.round(x + width / 2);
    assert.deepEqual([seen.subject.data[centre], seen.subject.data[SIDE - 1]], [255, 0]);
    assert.equal((await ocr(await png(page))).text, WORDS.join('\n'));
  });

  for (const [kind, { page, file }] of Object.entries(KINDS)) {
    it(`gives the same result: ${kind}`, async () => {
      verifies('faces.boxes', 'upscale.endpoint', 'remove-background.endpoint', 'ocr.endpoint', 'blur-faces.endpoint');
      const images = await plain();
      assertSame(await runAll(await file(images.face), page), images.seen, kind);
      assert.equal((await ocr(await file(images.page), page === undefined ? {} : { page })).text, WORDS.join('\n'));
    });
  }

  it('is rejected in the same way when it is not an image', async () => {
    const operations = { cut, upscale, findFaces, blurFaces, ocr };
    const files = {
      unsupported_format: Buffer.from('This is no image at all.'),
      corrupt_image: Buffer.concat([(await png(flat(50, 50, 1, 2, 3))).subarray(0, 40), Buffer.alloc(200, 7)]),
      // The header declares a size over every limit. No pixel data follow.
      image_too_large: blankPng(20_000, 20_000, 0),
    } as const;
    for (const [name, run] of Object.entries(operations)) {
      for (const [code, file] of Object.entries(files)) {
        const { message } = await failureOf(code as keyof typeof files, () => run(file));
        assert.match(message, /^Expected .+ but received /, name);
      }
      await failureOf('page_out_of_range', async () => run(await png(flat(50, 50, 1, 2, 3)), { page: 2 }));
    }
  });
});

describe('images of phones and cameras in the operations with a model', { skip: noFaces }, () => {
  it('are turned upright: HEIC', async () => {
    // All four display as the same 480 x 160 pixels with names of programs.
    for (const orientation of [5, 6, 7, 8]) {
      const file = corpus(`heic/kimageformats--orientation${orientation}.heic`)!;
      const { width, height, faces } = await findFaces(file);
      assert.deepEqual([width, height, faces], [480, 160, []], `${orientation}`);
      const doubled = await upscale(file);
      assert.deepEqual([doubled.width, doubled.height, doubled.format], [960, 320, 'jpeg']);
      const covered = await blurFaces(file, { boxes: '0,0,20,20' });
      assert.deepEqual([covered.width, covered.height, covered.format], [480, 160, 'jpeg']);
      assert.match((await ocr(file)).text, /Spectacle/);
      const mask = await cut(file, { mask: true }, { mask: await png(flat(48, 16, 255, 255, 255)) });
      assert.deepEqual([mask.width, mask.height], [480, 160]);
    }
  });

  it('are developed or use their preview: RAW', async () => {
    const file = corpus('raw/file-type--fixture-Leica-M10.dng')!;
    const { width, height } = await findFaces(file);
    assert.ok(width < height, `${width} x ${height}`);
    const doubled = await upscale(file, { format: 'jpeg' });
    assert.deepEqual([doubled.width, doubled.height], [2 * width, 2 * height]);
    const covered = await blurFaces(file, { boxes: '' });
    assert.deepEqual([covered.width, covered.height, covered.format], [width, height, 'jpeg']);
    assert.equal((await ocr(file)).width, width);
    const { bytes, ...cutOut } = await cut(file);
    assert.deepEqual([cutOut.width, cutOut.height, (await sharp(bytes).metadata()).channels], [width, height, 4]);
  });
});

describe('lines and dots in the operations with a model', { skip: noFaces }, () => {
  for (const [width, height] of [
    [1, 1],
    [20_000, 1],
    [1, 20_000],
  ] as const) {
    it(`contain nothing: ${width} x ${height}`, async () => {
      const file = await png(flat(width, height, 160, 64, 16));
      await failureOf('no_subject', () => cut(file));
      assert.deepEqual(await findFaces(file), { width, height, faces: [] });
      const { faces, warnings } = await blurFaces(file);
      assert.deepEqual([faces, warnings], [0, ['no_faces_found']]);
      assert.equal((await ocr(file)).text, '');
      const doubled = await upscale(file);
      assert.deepEqual([doubled.width, doubled.height], [2 * width, 2 * height]);
    });
  }
});
