/** blur-faces on faces that it detects itself. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { corpus } from '../../support/corpus.ts';
import { testEngine } from '../../support/engine.ts';
import { failureOf } from '../../support/failure.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { decode, difference, pattern, png } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { findFaces, noFaces, withFaces } from '../faces/support.ts';
import { blurFaces, blurInput } from './support.ts';

const PHOTOGRAPHS = ['scikit-image--astronaut.png', 'ulffd--imgs--16.jpg', 'face_recognition--obama_partial_face.jpg'];

describe('blur-faces without boxes', { skip: noFaces }, () => {
  it('covers the detected faces, and leaves no face that is detected with certainty', {
    skip: nightlyOnly,
  }, async () => {
    verifies('blur-faces.boxes.absent');
    for (const name of PHOTOGRAPHS) {
      const file = corpus(`faces/${name}`) as Uint8Array;
      const { faces } = await findFaces(file);
      for (const effect of ['blur', 'pixelate'] as const) {
        const result = await blurFaces(file, { effect, format: 'png' });
        assert.equal(result.faces, faces.length, name);
        // A covered head on its shoulders may still be detected as a face, but with a low score.
        const left = (await findFaces(result.bytes)).faces.filter(({ score }) => score > 0.85);
        assert.deepEqual(left, [], `${name}, ${effect}`);
      }
    }
  });

  it('covers small faces beside a large one', { skip: nightlyOnly }, async () => {
    const places = [
      { x: 300, y: 300, width: 600 },
      { x: 1400, y: 1900, width: 45 },
      { x: 3200, y: 500, width: 45 },
    ];
    const file = await (await withFaces({ width: 4000, height: 3000 }, places)).jpeg().toBuffer();
    assert.equal((await blurFaces(file)).faces, places.length);
  });

  it('covers the faces that faces finds, also a small one beside a large one', async () => {
    const places = [
      { x: 180, y: 180, width: 360 },
      { x: 1920, y: 300, width: 27 },
    ];
    const file = await (await withFaces({ width: 2400, height: 1800 }, places)).jpeg().toBuffer();
    assert.equal((await findFaces(file)).faces.length, places.length);
    assert.equal((await blurFaces(file)).faces, places.length);
  });

  it('warns where a covered face can still be detected', async () => {
    const file = await (await withFaces({ width: 320, height: 240 }, [{ x: 100, y: 80, width: 90 }])).png().toBuffer();
    assert.deepEqual((await blurFaces(file, { strength: 1 })).warnings, ['weak_cover']);
    assert.deepEqual((await blurFaces(file)).warnings, []);
  });

  it('warns when there are no faces, and changes nothing', { skip: nightlyOnly }, async () => {
    const source = await png(pattern(300, 200));
    const { faces, warnings, bytes } = await blurFaces(source);
    assert.deepEqual([faces, warnings], [0, ['no_faces_found']]);
    assert.equal(difference(await decode(bytes), await decode(source)).max, 0);
  });
});

describe('blur-faces without a model', () => {
  it('is rejected at once without boxes, and accepted with them', async () => {
    verifies('blur-faces.boxes');
    const engine = await testEngine();
    const source = await png(pattern(60, 40));
    await failureOf('model_unavailable', () => engine.run('blur-faces', blurInput(source)));
    for (const boxes of ['', '1,1,9,9']) {
      assert.equal((await engine.run('blur-faces', blurInput(source, { boxes }))).faces, boxes === '' ? 0 : 1);
    }
  });
});
