/**
 * faces on the corpus photos that contain faces, compared with counts by eye. The table also records misses and false
 * detections, so that neither grows unnoticed.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { corpus, corpusFiles } from '../../support/corpus.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { verifies } from '../../support/verifies.ts';
import { findFaces, noFaces } from './support.ts';

interface Counted {
  faces: number;
  missed?: number;
  /** Number of boxes around something that is not a face. */
  false?: number;
}

const PHOTOGRAPHS: Record<string, Counted> = {
  'faces/face_recognition--biden.jpg': { faces: 1 },
  'faces/face_recognition--obama-480p.jpg': { faces: 1 },
  // A raised hand is detected too.
  'faces/face_recognition--obama_and_biden.jpg': { faces: 3, false: 1 },
  'faces/face_recognition--obama_partial_face.jpg': { faces: 1 },
  'faces/face_recognition--two_people.jpg': { faces: 2 },
  'faces/scikit-image--astronaut.png': { faces: 1 },
  'faces/ulffd--imgs--1.jpg': { faces: 52 },
  'faces/ulffd--imgs--16.jpg': { faces: 9 },
  'faces/ulffd--imgs--26.jpg': { faces: 77 },
  'subject/rembg--girl-3.jpg': { faces: 1 },
  'subject/rembg--car-1.jpg': { faces: 1 },
  'raw/file-type--fixture.cr3': { faces: 1 },
  // Two portraits on the screen of a tablet.
  'jpeg/image--progressive--3.jpg': { faces: 2 },
  // 204 pixels wide. One of the four faces is in the shadow of a hat.
  'jpeg/twelvemonkeys--jfif-16bit-dqt.jpg': { faces: 4, missed: 1 },
  // A man who looks down, in a grainy image, in several formats.
  'jpeg/libvips--images--sample.jpg': { faces: 1 },
  'jpeg/libvips--sample-xyb.jpg': { faces: 1 },
  'jxl/wasm-vips--images--sample.jxl': { faces: 1 },
  'png/libvips--indexed.png': { faces: 1 },
  // The same image in several formats.
  'avif/pillow--hopper.avif': { faces: 1 },
  'gif/pillow--hopper.gif': { faces: 1 },
  'webp/pillow--hopper.webp': { faces: 1 },
  'legacy/pillow--hopper.ppm': { faces: 1 },
  'legacy/pillow--hopper_1bit.pbm': { faces: 1 },
  'tiff/pillow--hopper.Lab.tif': { faces: 1 },
  // A lion, whose face is detected, and a part of it.
  'subject/rembg--animal-3.jpg': { faces: 0, false: 2 },
  'subject/rembg--animal-1.jpg': { faces: 0 },
  'subject/rembg--car-2.jpg': { faces: 0 },
  'faces/scikit-image--chelsea.png': { faces: 0 },
  'faces/scikit-image--coffee.png': { faces: 0 },
  'faces/scikit-image--coins.png': { faces: 0 },
  'faces/scikit-image--rocket.jpg': { faces: 0 },
};

describe('faces in photographs', { skip: noFaces }, () => {
  for (const [path, { faces, missed = 0, false: wrong = 0 }] of Object.entries(PHOTOGRAPHS)) {
    it(`finds ${faces - missed} of ${faces} in ${path}`, { skip: nightlyOnly }, async () => {
      verifies('faces.endpoint', 'faces.boxes', 'faces.largest-first', 'faces.score');
      const file = corpus(path);
      assert.ok(file, path);
      const { width, height, faces: found } = await findFaces(file, { filename: path });
      assert.equal(found.length, faces - missed + wrong);
      const areas = found.map((face) => face.width * face.height);
      assert.deepEqual(
        areas,
        areas.toSorted((one, other) => other - one),
      );
      for (const { x, y, score, ...face } of found) {
        assert.ok([x, y, face.width, face.height].every(Number.isInteger), path);
        assert.ok(x >= 0 && y >= 0 && face.width > 0 && face.height > 0, path);
        assert.ok(x + face.width <= width && y + face.height <= height, path);
        assert.ok(score >= 0.6 && score <= 1, `${score}`);
      }
    });
  }

  it('finds several hundred in a crowd', { skip: nightlyOnly }, async () => {
    const { faces } = await findFaces(corpus('faces/ulffd--imgs--17.jpg') as Uint8Array);
    assert.ok(faces.length > 700, `${faces.length}`);
  });

  it('finds none in photographs of landscapes and objects', { skip: nightlyOnly }, async () => {
    const files = [
      ...corpusFiles('jpeg').filter((path) => /DSCN|canon_hdr|flower|cat\.jpg/.test(path)),
      ...corpusFiles('avif').filter((path) => /orientation|cosmos|sofa/.test(path)),
    ];
    assert.ok(files.length > 5, files.join());
    for (const path of files) {
      assert.deepEqual((await findFaces(corpus(path) as Uint8Array)).faces, [], path);
    }
  });
});
