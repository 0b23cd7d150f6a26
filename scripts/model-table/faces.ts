/** Compares the faces found in photographs, with and without faces, with a person's count. */
import { existsSync, readFileSync } from 'node:fs';
import type { Engine } from '../../engine/engine.ts';
import { sourceParams } from '../../engine/operations/parameters.ts';
import { corpusPath } from '../../test/support/corpus.ts';

export interface FacesRow {
  photograph: string;
  /** A person's count; undefined if nobody can count them. */
  expected: number | undefined;
  found: number;
  /** A person's notes on the image with its boxes. */
  missed: string;
  wrong: string;
}

interface Seen {
  expected?: number;
  missed?: string;
  wrong?: string;
}

const PHOTOGRAPHS: Readonly<Record<string, Seen>> = {
  'faces/face_recognition--biden.jpg': { expected: 1 },
  'faces/face_recognition--obama-480p.jpg': { expected: 1 },
  'faces/face_recognition--obama_and_biden.jpg': { expected: 3 },
  'faces/face_recognition--obama_partial_face.jpg': { expected: 1 },
  'faces/face_recognition--two_people.jpg': { expected: 2 },
  'faces/scikit-image--astronaut.png': { expected: 1 },
  'faces/scikit-image--chelsea.png': { expected: 0 },
  'faces/scikit-image--coffee.png': { expected: 0 },
  'faces/scikit-image--coins.png': { expected: 0 },
  'faces/scikit-image--rocket.jpg': { expected: 0 },
  'faces/ulffd--imgs--1.jpg': { expected: 52 },
  'faces/ulffd--imgs--16.jpg': { expected: 9 },
  'faces/ulffd--imgs--17.jpg': { missed: 'the smallest, far away', wrong: 'a few hands' },
  'faces/ulffd--imgs--26.jpg': { expected: 77 },
  'subject/rembg--animal-1.jpg': { expected: 0 },
  'subject/rembg--animal-3.jpg': { expected: 0, wrong: 'a lion' },
  'subject/rembg--car-1.jpg': { expected: 1 },
  'subject/rembg--car-2.jpg': { expected: 0 },
  'subject/rembg--girl-3.jpg': { expected: 1 },
  'jpeg/image--progressive--3.jpg': { expected: 2 },
  'jpeg/image--cat.jpg': { expected: 0 },
  'jpeg/pillow--flower.jpg': { expected: 0 },
  'jpeg/exif-samples--45-gps_ifd.jpg': { expected: 0 },
};

export async function measureFaces(engine: Engine): Promise<FacesRow[]> {
  const rows: FacesRow[] = [];
  for (const [photograph, { expected, missed = '0', wrong = '0' }] of Object.entries(PHOTOGRAPHS)) {
    const path = corpusPath(photograph);
    if (!existsSync(path)) continue;
    const image = { data: new Uint8Array(readFileSync(path)).buffer };
    const { record } = await engine.run('faces', { image, params: sourceParams.parse({}) });
    rows.push({ photograph, expected, found: record.faces.length, missed, wrong });
  }
  return rows;
}
