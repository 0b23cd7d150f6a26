/** A deliberate second copy of the parameter table, and the rules by which parameters, presets and defaults combine. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDecoder } from '../../../base/parameter-decoder.ts';
import { idPhotoParams } from '../../../engine/operations/id-photo/params.ts';
import { type Photo, resolvePhoto } from '../../../engine/operations/id-photo/photo.ts';
import { failureOf } from '../../support/failure.ts';
import { verifies } from '../../support/verifies.ts';

const decoder = createDecoder(idPhotoParams);

/** Resolves a query with these parameters. */
const resolve = (query: Record<string, string | number>): Photo =>
  resolvePhoto(decoder.complete(decoder.fromText(Object.entries(query).map(([name, value]) => [name, String(value)]))));

const size = (query: Record<string, string | number>) => {
  const { width, height } = resolve(query).size;
  return [width, height, resolve(query).dpi];
};

const MILLIMETRES = { width_mm: 35, height_mm: 45 };
const PIXELS = { width: 413, height: 531 };

/** Minimum, maximum, type, and the other parameters that each one needs. */
const NUMBERS: Record<string, readonly [number, number, 'integer' | 'number', Record<string, number>]> = {
  width_mm: [5, 300, 'number', { height_mm: 45 }],
  height_mm: [5, 300, 'number', { width_mm: 35 }],
  width: [16, 6000, 'integer', { height: 531 }],
  height: [16, 6000, 'integer', { width: 413 }],
  dpi: [72, 1200, 'integer', PIXELS],
  min_bytes: [1000, 50_000_000, 'integer', PIXELS],
  max_bytes: [1000, 50_000_000, 'integer', PIXELS],
};

describe('numbers', () => {
  verifies(
    'id-photo.millimetres.bounds',
    'id-photo.pixels.bounds',
    'id-photo.dpi.bounds',
    'id-photo.min-bytes.bounds',
    'id-photo.max-bytes.bounds',
  );
  for (const [name, [least, most, kind, beside]] of Object.entries(NUMBERS)) {
    it(`${name} is a ${kind} from ${least} to ${most}`, async () => {
      for (const value of [least, most]) assert.ok(resolve({ ...beside, [name]: value }));
      const fraction = `${least}.5`;
      if (kind === 'number') assert.ok(resolve({ ...beside, [name]: fraction }));
      const wrong = [least - 1, `${most}.1`, most + 1, '1e2', '0x20', '', 'many'];
      for (const value of kind === 'integer' ? [...wrong, fraction] : wrong) {
        const { param } = await failureOf('invalid_parameter', () => resolve({ ...beside, [name]: value }));
        assert.equal(param, name);
      }
    });
  }
});

describe('the other parameters', () => {
  it('format is jpeg or png, by default jpeg', async () => {
    verifies('id-photo.format');
    assert.equal(resolve(PIXELS).format, 'jpeg');
    for (const format of ['jpeg', 'png']) assert.equal(resolve({ ...PIXELS, format }).format, format);
    for (const format of ['webp', 'jpg', 'JPEG', ''])
      await failureOf('invalid_parameter', () => resolve({ ...PIXELS, format }));
  });

  it('background is a colour, by default white', async () => {
    verifies('id-photo.background');
    assert.equal(resolve(PIXELS).background, '#ffffff');
    assert.equal(resolve({ ...PIXELS, background: '#A1b2C3' }).background, '#A1b2C3');
    for (const background of ['transparent', 'white', '#fff', ''])
      await failureOf('invalid_parameter', () => resolve({ ...PIXELS, background }));
  });

  it('crop takes four integers', async () => {
    for (const crop of ['1,2,3', '0,0,0,1', '-1,0,5,5', 'a'])
      await failureOf('invalid_parameter', () => resolve({ ...PIXELS, crop }));
  });

  it('sheet and remove_background are booleans, by default false', async () => {
    verifies('id-photo.sheet');
    assert.equal(resolve(PIXELS).sheet, undefined);
    assert.equal(idPhotoParams.parse(PIXELS).remove_background, false);
    assert.ok(resolve({ ...PIXELS, sheet: 'true', remove_background: '1' }).sheet);
    for (const name of ['sheet', 'remove_background'])
      await failureOf('invalid_parameter', () => resolve({ ...PIXELS, [name]: 'yes' }));
  });
});

describe('the size', () => {
  it('may be in pixels, whatever the resolution', () => {
    verifies('id-photo.pixels');
    assert.deepEqual(size(PIXELS), [413, 531, 300]);
    assert.deepEqual(size({ ...PIXELS, dpi: 600 }), [413, 531, 600]);
  });

  it('may be in millimetres, which the resolution converts to pixels', () => {
    verifies('id-photo.millimetres', 'id-photo.dpi');
    assert.deepEqual(size(MILLIMETRES), [413, 531, 300]);
    assert.deepEqual(size({ ...MILLIMETRES, dpi: 600 }), [827, 1063, 600]);
    assert.deepEqual(size({ width_mm: '50.8', height_mm: '25.4', dpi: 72 }), [144, 72, 72]);
  });

  it('may come from the preset', () => {
    verifies('id-photo.preset');
    assert.deepEqual(size({ preset: 'fi_passport' }), [500, 653, 353]);
    assert.deepEqual(size({ preset: 'nz_passport' }), [1500, 2000, 300]);
  });

  it('is required', async () => {
    const { param } = await failureOf('invalid_parameter', () => resolve({ dpi: 300 }));
    assert.equal(param, 'preset');
  });

  it('needs both sides, in the same unit', async () => {
    verifies('id-photo.millimetres', 'id-photo.pixels.not-with-millimetres');
    for (const [alone, missing] of [
      ['width_mm', 'height_mm'],
      ['height_mm', 'width_mm'],
      ['width', 'height'],
      ['height', 'width'],
    ] as const) {
      for (const others of [{}, { preset: 'us_visa' }]) {
        const { param } = await failureOf('conflicting_parameters', () => resolve({ ...others, [alone]: 100 }));
        assert.equal(param, missing);
      }
    }
    await failureOf('conflicting_parameters', () => resolve({ ...PIXELS, ...MILLIMETRES }));
    await failureOf('conflicting_parameters', () => resolve({ width: 413, height_mm: 45 }));
  });

  it('of an unknown preset is not found, wherever presets are listed', async () => {
    for (const preset of ['us_viza', '', 'US_VISA', 'in_oci', '__proto__']) {
      const { param, message } = await failureOf('preset_not_found', () => resolve({ preset }));
      assert.equal(param, 'preset');
      assert.match(message, /preset of ID photos/);
    }
  });
});

describe("a request overrides the preset's", () => {
  verifies('id-photo.preset.overridden');

  it('size', () => {
    assert.deepEqual(size({ preset: 'us_visa', width: 700, height: 800 }), [700, 800, 300]);
    assert.deepEqual(size({ preset: 'fr_identity', ...MILLIMETRES }), [827, 1063, 600]);
    assert.deepEqual(size({ preset: 'us_visa', ...MILLIMETRES }), [413, 531, 300]);
  });

  it('resolution, which converts the millimetres of the preset; a preset in pixels keeps its size', () => {
    assert.deepEqual(size({ preset: 'fr_identity', dpi: 300 }), [413, 531, 300]);
    assert.deepEqual(size({ preset: 'nz_passport', dpi: 600 }), [1500, 2000, 600]);
    // The preset's resolution changes nothing, although 35 mm at 610 dpi are 841 pixels.
    assert.deepEqual(size({ preset: 'ca_visa_online', dpi: 610 }), [840, 1080, 610]);
  });

  it('format, background and range', () => {
    const own = resolve({ preset: 'ca_visa_online' });
    assert.deepEqual([own.format, own.background, own.minBytes, own.maxBytes], ['jpeg', '#ffffff', 61_440, 240_000]);
    assert.equal(resolve({ preset: 'fr_identity' }).background, '#e6e9ec');
    const query = {
      preset: 'ca_visa_online',
      format: 'png',
      background: '#123456',
      min_bytes: 2000,
      max_bytes: 90_000,
    };
    const { format, background, minBytes, maxBytes } = resolve(query);
    assert.deepEqual([format, background, minBytes, maxBytes], ['png', '#123456', 2000, 90_000]);
  });

  it('even when it equals the default', () => {
    assert.deepEqual(size({ preset: 'fr_identity', dpi: 300 }), [413, 531, 300]);
    assert.equal(resolve({ preset: 'fr_identity', background: '#ffffff' }).background, '#ffffff');
  });
});

describe('the range of bytes', () => {
  it('must not be empty', async () => {
    const range = { ...PIXELS, min_bytes: 5001, max_bytes: 5000 };
    assert.equal((await failureOf('conflicting_parameters', () => resolve(range))).param, 'min_bytes');
    assert.ok(resolve({ ...range, max_bytes: 5001 }));
  });

  it('must not be empty together with that of the preset', async () => {
    const preset = 'ca_visa_online';
    for (const [name, value] of Object.entries({ min_bytes: 240_001, max_bytes: 61_439 })) {
      const { param } = await failureOf('conflicting_parameters', () => resolve({ preset, [name]: value }));
      assert.equal(param, name);
    }
    assert.ok(resolve({ preset, min_bytes: 240_000 }));
    assert.ok(resolve({ preset, max_bytes: 61_440 }));
  });
});
