/** Every preset with different photographs: pixels checked with sharp, resolution with ExifTool, bytes in range. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { PRESETS, type Preset } from '../../engine/operations/id-photo/presets.ts';
import { idPhoto } from '../engine/id-photo/support.ts';
import { corpus, corpusSkipReason } from '../support/corpus.ts';
import { withFolder } from '../support/folder.ts';
import { isSelected, isThorough } from '../support/thorough.ts';
import { findProgram, skipWithout } from '../support/tool.ts';
import { verifies } from '../support/verifies.ts';

/** A portrait, a studio image, a crowd, a grey image and an image that is rotated for display. */
const PHOTOGRAPHS = [
  'faces/face_recognition--biden.jpg',
  'faces/scikit-image--astronaut.png',
  'faces/ulffd--imgs--17.jpg',
  'faces/scikit-image--coins.png',
  'jpeg/libvips--rotation--6.jpg',
] as const;

interface Made {
  preset: Preset;
  file: string;
  bytes: number;
}

/** Reads the tags of each file with ExifTool, by path. */
function exifTool(folder: string): Map<string, Record<string, unknown>> {
  const output = execFileSync(findProgram('exiftool')!, [
    '-json',
    '-n',
    '-q',
    '-XResolution',
    '-YResolution',
    '-ResolutionUnit',
    '-ImageSize',
    folder,
  ]);
  const files: Record<string, unknown>[] = JSON.parse(output.toString());
  return new Map(files.map((tags) => [String(tags.SourceFile), tags]));
}

async function makeAll(folder: string): Promise<Made[]> {
  const made: Made[] = [];
  for (const [way, preset] of [...PRESETS.values()].entries()) {
    for (const [index, path] of PHOTOGRAPHS.entries()) {
      if (!isSelected(index, way, PHOTOGRAPHS.length)) continue;
      const { bytes, width, height, outcome } = await idPhoto(corpus(path)!, { preset: preset.id });
      const name = `${preset.id} of ${path}`;
      assert.deepEqual([width, height], [preset.width, preset.height], name);
      const ranged = preset.min_bytes !== null || preset.max_bytes !== null;
      assert.equal(outcome, ranged ? 'target_met' : 'done', name);
      const file = join(folder, `${preset.id}-${index}.jpg`);
      writeFileSync(file, bytes);
      made.push({ preset, file, bytes: bytes.length });
    }
  }
  return made;
}

/** The value of `ResolutionUnit` for inches in JFIF. */
const INCHES = 1;

describe('every ID photo preset', { skip: corpusSkipReason || skipWithout('exiftool') }, () => {
  it('gives the exact size, its resolution and a file in its range for different photos', async (t) => {
    verifies('id-photo.preset', 'id-photo.quality-only', 'id-photo.dpi', 'id-photo.endpoint');
    await withFolder(async (folder) => {
      const made = await makeAll(folder);
      assert.equal(made.length, PRESETS.size * (isThorough ? PHOTOGRAPHS.length : 1));
      const theirs = exifTool(folder);
      for (const { preset, file, bytes } of made) {
        const { width, height, format } = await sharp(file).metadata();
        assert.deepEqual([width, height, format], [preset.width, preset.height, preset.format], file);
        assert.deepEqual(
          theirs.get(file),
          {
            SourceFile: file,
            XResolution: preset.dpi,
            YResolution: preset.dpi,
            ResolutionUnit: INCHES,
            ImageSize: `${preset.width} ${preset.height}`,
          },
          file,
        );
        assert.ok(bytes >= (preset.min_bytes ?? 0) && bytes <= (preset.max_bytes ?? Infinity), `${file}: ${bytes}`);
      }
      for (const preset of PRESETS.values()) {
        const sizes = made.filter((one) => one.preset === preset).map(({ bytes }) => bytes);
        const range = `${preset.min_bytes ?? 0} to ${preset.max_bytes ?? 'any'}`;
        t.diagnostic(
          `${preset.id.padEnd(19)} ${preset.width} x ${preset.height} at ${preset.dpi} dpi, ${range} bytes: ${sizes.join(', ')}`,
        );
      }
    });
  });
});
