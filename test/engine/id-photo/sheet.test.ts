/** Sheets: the number of copies and their positions. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { planSheet } from '../../../engine/operations/id-photo/sheet.ts';
import { failureOf } from '../../support/failure.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { scene } from '../../support/scenes.ts';
import { decode, difference, flat, pattern, pixel, png, type RawImage } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { type IdPhotoOptions, idPhoto } from './support.ts';

const isWhite = (raw: RawImage, x: number, y: number) => pixel(raw, x, y).every((value) => value === 255);

/** Returns the spans of copies along a line of pixels; the ends are exclusive. */
function spans(isWhiteAt: (at: number) => boolean, length: number): [number, number][] {
  const found: [number, number][] = [];
  let start: number | undefined;
  for (let at = 0; at <= length; at += 1) {
    const inside = at < length && !isWhiteAt(at);
    if (inside) start ??= at;
    else if (start !== undefined) {
      found.push([start, at]);
      start = undefined;
    }
  }
  return found;
}

/** Returns the copies of a sheet of dark photos: columns and rows. */
async function copies(options: IdPhotoOptions) {
  const photo = await png(flat(400, 500, 40, 60, 80));
  const result = await idPhoto(photo, { ...options, sheet: true, format: 'png' });
  const raw = await decode(result.bytes);
  assert.deepEqual([raw.width, raw.height], [result.width, result.height]);
  const row = Math.floor(raw.data.findIndex((sample) => sample !== 255) / (raw.width * raw.channels));
  const columns = spans((x) => isWhite(raw, x, row), raw.width);
  const column = columns[0]?.[0] as number;
  return { result, columns, rows: spans((y) => isWhite(raw, column, y), raw.height) };
}

/** Returns `count` centred spans of a length, separated by the gap. An odd pixel stays free at the end. */
function centred(count: number, length: number, gap: number, whole: number): [number, number][] {
  const first = Math.floor((whole - (count * (length + gap) - gap)) / 2);
  return Array.from({ length: count }, (_, index) => {
    const start = first + index * (length + gap);
    return [start, start + length];
  });
}

describe('a print sheet', () => {
  it('is landscape when more copies fit that way', async () => {
    verifies('id-photo.sheet');
    const { result, columns, rows } = await copies({ width_mm: 35, height_mm: 45 });
    assert.deepEqual([result.width, result.height, result.dpi, result.outcome], [1800, 1200, 300, 'done']);
    // 2 mm are 24 pixels at 300 dpi.
    assert.deepEqual(columns, centred(4, 413, 24, 1800));
    assert.deepEqual(rows, centred(2, 531, 24, 1200));
  });

  it('is portrait when more copies fit that way, or equally many', { skip: nightlyOnly }, async () => {
    verifies('id-photo.sheet');
    const tie = await copies({ width_mm: 50, height_mm: 70 });
    assert.deepEqual([tie.result.width, tie.result.height], [1200, 1800]);
    assert.deepEqual([tie.columns, tie.rows], [centred(1, 591, 24, 1200), centred(2, 827, 24, 1800)]);
    const upright = await copies({ width: 580, height: 400 });
    assert.deepEqual([upright.result.width, upright.result.height], [1200, 1800]);
    assert.deepEqual([upright.columns, upright.rows], [centred(2, 580, 24, 1200), centred(4, 400, 24, 1800)]);
  });

  it('has the resolution of the photo', async () => {
    const { result, columns, rows } = await copies({ width_mm: 35, height_mm: 45, dpi: 150 });
    assert.deepEqual([result.width, result.height, result.dpi], [900, 600, 150]);
    assert.deepEqual([columns, rows], [centred(4, 207, 12, 900), centred(2, 266, 12, 600)]);
  });

  it('has the photo itself, pixel for pixel', async () => {
    const source = await png(pattern(413, 531));
    const single = await decode((await idPhoto(source, { width: 413, height: 531, format: 'png' })).bytes);
    const sheet = await decode((await idPhoto(source, { width: 413, height: 531, format: 'png', sheet: true })).bytes);
    for (const [left] of centred(4, 413, 24, 1800)) {
      for (const [top] of centred(2, 531, 24, 1200)) {
        const data = Buffer.concat(
          Array.from({ length: 531 }, (_, y) => {
            const at = ((top + y) * sheet.width + left) * 3;
            return sheet.data.subarray(at, at + 413 * 3);
          }),
        );
        assert.equal(difference({ ...single, data }, single).max, 0);
      }
    }
  });

  it('may have one copy, and is rejected when none fits', async () => {
    const whole = await copies({ width: 1800, height: 1200 });
    assert.deepEqual([whole.columns, whole.rows], [[[0, 1800]], [[0, 1200]]]);
    const { param } = await failureOf('invalid_parameter', () => copies({ width: 1801, height: 100 }));
    assert.equal(param, 'sheet');
    await failureOf('invalid_parameter', () => copies({ preset: 'ee_document' }));
    assert.deepEqual(planSheet({ width: 1201, height: 1201 }, 300), undefined);
  });

  it('is what the byte range applies to', async () => {
    verifies('id-photo.sheet', 'id-photo.max-bytes');
    const source = await png(scene('photo', 413, 531));
    const photo = await idPhoto(source, { width: 413, height: 531 });
    const options = { width: 413, height: 531, sheet: true };
    const max_bytes = photo.bytes.length * 3;
    const small = await idPhoto(source, { ...options, max_bytes });
    assert.deepEqual([small.outcome, small.width], ['target_met', 1800]);
    assert.ok(small.bytes.length <= max_bytes && small.bytes.length > photo.bytes.length);
    const padded = await idPhoto(source, { ...options, min_bytes: 2_000_000 });
    assert.deepEqual([padded.outcome, padded.bytes.length], ['target_met', 2_000_000]);
  });

  it('is white whatever the background', async () => {
    const { columns } = await copies({ width: 413, height: 531, background: '#ff0000' });
    assert.deepEqual(columns, centred(4, 413, 24, 1800));
  });
});
