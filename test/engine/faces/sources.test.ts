/** faces on images made from one known face: positions, sizes, kinds of sources, and several requests at a time. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { Cancelled } from '../../../engine/errors.ts';
import { testEngine, testModelEngine } from '../../support/engine.ts';
import { failureOf } from '../../support/failure.ts';
import { isNightly, nightlyOnly } from '../../support/nightly.ts';
import { flat, pattern, png } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { ASTRONAUT, astronaut, facesInput, findFaces, noFaces, overlap, withFaces } from './support.ts';

/** Returns the only face. Fails if there are others. */
async function onlyFace(file: Uint8Array) {
  const { faces } = await findFaces(file);
  assert.equal(faces.length, 1, JSON.stringify(faces));
  return faces[0]!;
}

describe('boxes of faces', { skip: noFaces }, () => {
  it('match the positions of the faces', { skip: nightlyOnly }, async () => {
    verifies('faces.boxes', 'faces.size');
    const { width, height, faces } = await findFaces(await astronaut().png().toBuffer());
    assert.deepEqual([width, height, faces.length], [512, 512, 1]);
    assert.ok(overlap(faces[0]!, ASTRONAUT) > 0.8, JSON.stringify(faces));
  });

  it('are relative to the image as displayed', async () => {
    verifies('faces.size', 'faces.boxes');
    const shown = await withFaces({ width: 500, height: 400 }, [{ x: 90, y: 120, width: 80 }]);
    const expected = await onlyFace(await shown.clone().png().toBuffer());
    // Stores the image with the inverse of each orientation, so that it is always displayed the same.
    for (const orientation of isNightly ? [2, 3, 4, 5, 6, 7, 8] : [5, 6]) {
      const inverse = { 6: 8, 8: 6 }[orientation] ?? orientation;
      const turned = await sharp(await shown.clone().tiff().withMetadata({ orientation: inverse }).toBuffer())
        .rotate()
        .png()
        .toBuffer();
      const stored = await sharp(turned).jpeg({ quality: 95 }).withMetadata({ orientation }).toBuffer();
      const { width, height, faces } = await findFaces(stored);
      assert.deepEqual([width, height, faces.length], [500, 400, 1], `orientation ${orientation}`);
      assert.ok(overlap(faces[0]!, expected) > 0.9, `orientation ${orientation}: ${JSON.stringify(faces)}`);
    }
  });

  it('are found from 1.5% of the image to its full size', { skip: nightlyOnly }, async () => {
    for (const width of [15, 24, 60, 160, 400]) {
      const file = await (await withFaces({ width: 1000, height: 1000 }, [{ x: 180, y: 200, width }])).png().toBuffer();
      const face = await onlyFace(file);
      assert.ok(Math.abs(face.width - width) < Math.max(5, width * 0.25), `${width}: ${JSON.stringify(face)}`);
    }
    const { x, y, width, height } = ASTRONAUT;
    const close = astronaut().extract({ left: x, top: y, width, height });
    for (const side of [92, 600, 2400]) {
      const face = await onlyFace(
        await sharp(await close.clone().png().toBuffer())
          .resize(side)
          .png()
          .toBuffer(),
      );
      assert.ok(face.width > side * 0.8, `${side}: ${JSON.stringify(face)}`);
    }
  });

  it('are found at the edges of the image, and are clipped there', async () => {
    const size = { width: 400, height: 400 };
    const cut = [
      { x: -25, y: 150, width: 80 },
      { x: 345, y: 150, width: 80 },
      { x: 160, y: -25, width: 80 },
      { x: 160, y: 330, width: 80 },
    ];
    const { faces } = await findFaces(await (await withFaces(size, cut)).png().toBuffer());
    assert.equal(faces.length, 4, JSON.stringify(faces));
    for (const face of faces) {
      assert.ok(face.x >= 0 && face.y >= 0 && face.x + face.width <= 400 && face.y + face.height <= 400);
    }
    assert.ok(faces.some(({ x }) => x <= 3) && faces.some(({ x, width }) => x + width >= 397), JSON.stringify(faces));
  });

  it('are found once each in an image 20,000 pixels wide, wherever they are', { skip: nightlyOnly }, async () => {
    const places = Array.from({ length: 30 }, (_, index) => ({ x: 60 + index * 660, y: 200, width: 80 }));
    const file = await (await withFaces({ width: 20_000, height: 500 }, places)).jpeg().toBuffer();
    const { width, height, faces } = await findFaces(file);
    assert.deepEqual([width, height, faces.length], [20_000, 500, 30]);
    for (const { x, y } of places) {
      const near = faces.filter((face) => overlap(face, { x, y, width: 80, height: 99 }) > 0.5);
      assert.equal(near.length, 1, `${x}`);
    }
  });

  it('are searched at a finer scale when some are small, also in an image that was decoded smaller', {
    skip: nightlyOnly,
  }, async () => {
    const places = [
      { x: 300, y: 300, width: 600 },
      ...Array.from({ length: 8 }, (_, index) => ({ x: 200 + index * 450, y: 2400, width: index < 2 ? 70 : 22 })),
    ];
    const large = await withFaces({ width: 4000, height: 3000 }, places);
    for (const file of [await large.clone().jpeg().toBuffer(), await large.clone().png().toBuffer()]) {
      const { faces } = await findFaces(file);
      assert.equal(faces.length, places.length, JSON.stringify(faces));
      for (const [index, place] of places.entries()) {
        const box = { ...place, height: (place.width * ASTRONAUT.height) / ASTRONAUT.width };
        assert.ok(overlap(faces[index === 0 ? 0 : faces.findIndex((face) => overlap(face, box) > 0.4)]!, box) > 0.4);
      }
    }
  });
});

describe('sources of faces', { skip: noFaces }, () => {
  it('may be grey, 16-bit, CMYK, transparent or with a palette', { skip: nightlyOnly }, async () => {
    const expected = await onlyFace(await astronaut().png().toBuffer());
    const kinds = {
      grey: await astronaut().greyscale().png().toBuffer(),
      deep: await astronaut().toColourspace('rgb16').png().toBuffer(),
      cmyk: await astronaut().toColourspace('cmyk').jpeg().toBuffer(),
      palette: await astronaut().png({ palette: true }).toBuffer(),
      'see-through': await astronaut().ensureAlpha(0.8).png().toBuffer(),
      'grey with alpha': await astronaut().greyscale().ensureAlpha(0.8).png().toBuffer(),
      webp: await astronaut().webp().toBuffer(),
    };
    for (const [kind, file] of Object.entries(kinds)) {
      const face = await onlyFace(file);
      assert.ok(overlap(face, expected) > 0.8, `${kind}: ${JSON.stringify(face)}`);
    }
  });

  it('may have no faces', { skip: nightlyOnly }, async () => {
    for (const [width, height] of [
      [1, 1],
      [1, 3000],
      [20_000, 1],
      [40, 40],
    ] as const) {
      const found = await findFaces(await png(flat(width, height, 200, 160, 140)));
      assert.deepEqual(found, { width, height, faces: [] });
    }
    assert.deepEqual((await findFaces(await png(pattern(700, 500)))).faces, []);
    // Fully transparent pixels do not count.
    const hidden = await astronaut().ensureAlpha(0).png().toBuffer();
    assert.deepEqual((await findFaces(hidden)).faces, []);
  });

  it('may be truncated', async () => {
    const whole = await astronaut().jpeg().toBuffer();
    const { faces } = await findFaces(whole.subarray(0, Math.floor(whole.length * 0.7)));
    assert.equal(faces.length, 1);
  });

  it('are rejected when they are not images or are corrupt', async () => {
    await failureOf('unsupported_format', () => findFaces(Buffer.from('no image at all')));
    const broken = Buffer.concat([(await png(pattern(50, 50))).subarray(0, 40), Buffer.alloc(200, 7)]);
    await failureOf('corrupt_image', () => findFaces(broken));
  });

  it('may be processed concurrently', async () => {
    const files = await Promise.all(
      [1, 2, 3, 4].map(async (count) => {
        const places = Array.from({ length: count }, (_, index) => ({ x: 40 + index * 150, y: 60, width: 80 }));
        return (await withFaces({ width: 640, height: 300 }, places)).png().toBuffer();
      }),
    );
    const found = await Promise.all(files.map((file) => findFaces(file)));
    assert.deepEqual(
      found.map(({ faces }) => faces.length),
      [1, 2, 3, 4],
    );
  });

  it('may be cancelled, and the next one is correct', async () => {
    const engine = await testModelEngine();
    const client = new AbortController();
    const large = sharp({ create: { width: 4000, height: 3000, channels: 3, background: '#888' } });
    const input = facesInput(await large.jpeg().toBuffer());
    const gone = engine.run('faces', input, { signal: client.signal, onStart: () => client.abort() });
    await assert.rejects(gone, Cancelled);
    assert.ok(await onlyFace(await astronaut().png().toBuffer()));
  });
});

describe('faces without a model', () => {
  it('is rejected at once with the command that installs it', async () => {
    const engine = await testEngine();
    const failure = await failureOf('model_unavailable', async () => engine.run('faces', facesInput(Buffer.from('x'))));
    assert.match(String(failure.hint), /imagecrew models pull yunet-n/);
  });
});
