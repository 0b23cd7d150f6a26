import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findLosses } from '../../../scripts/conversion-table/losses.ts';
import type { ImageProperties } from '../../../scripts/conversion-table/properties.ts';

const PLAIN: ImageProperties = {
  images: 1,
  bits: 8,
  model: 'RGB',
  transparency: 'none',
  hasGainMap: false,
  metadata: new Set(),
  exifTags: new Set(),
};

/** One property that a source has more than a plain image, with the warning that says its loss. */
const MORE: readonly (readonly [warning: string, more: Partial<ImageProperties>])[] = [
  ['pages_dropped', { images: 3 }],
  ['animation_flattened', { animation: { frames: 2, durationMs: 200, plays: 0 } }],
  ['depth_reduced', { bits: 10 }],
  ['color_converted', { model: 'CMYK' }],
  ['color_converted', { profile: 'Adobe RGB (1998)' }],
  ['gain_map_dropped', { hasGainMap: true }],
  ['alpha_flattened', { transparency: 'binary' }],
  ['metadata_dropped', { metadata: new Set(['XMP']) }],
  ['metadata_dropped', { metadata: new Set(['EXIF']), exifTags: new Set(['Make']) }],
];

describe('the losses of a conversion', () => {
  for (const [warning, more] of MORE) {
    it(`have ${warning}, or are without a warning: ${Object.keys(more)}`, () => {
      const warned = (warnings: readonly string[]) =>
        findLosses({ ...PLAIN, ...more }, PLAIN, warnings).map((loss) => loss.warning);
      assert.deepEqual(warned([warning]), [warning]);
      assert.deepEqual(warned(['preset_unverified']), [undefined]);
      assert.deepEqual(findLosses({ ...PLAIN, ...more }, { ...PLAIN, ...more }, []), []);
    });
  }

  it('are single EXIF tags too', () => {
    const source = { ...PLAIN, metadata: new Set(['EXIF'] as const), exifTags: new Set(['Make', 'Model']) };
    const [loss, ...others] = findLosses(source, { ...source, exifTags: new Set(['Make']) }, []);
    assert.deepEqual([loss?.text, others], ['EXIF without Model', []]);
  });

  it('are other times and repetitions of an animation', () => {
    const playing = (durationMs: number, plays: number) => ({ ...PLAIN, animation: { frames: 4, durationMs, plays } });
    const textsOf = (result: ImageProperties) => findLosses(playing(300, 2), result, []).map(({ text }) => text);
    assert.deepEqual(textsOf(playing(220, 2)), ['220 of 300 ms']);
    assert.deepEqual(textsOf(playing(300, 1)), ['plays 1 times, not 2']);
    // Equal frames are joined.
    assert.deepEqual(textsOf({ ...PLAIN, animation: { frames: 3, durationMs: 300, plays: 2 } }), []);
  });

  it('are not grey stored as three equal samples', () => {
    assert.deepEqual(findLosses({ ...PLAIN, model: 'grey' }, PLAIN, []), []);
    assert.equal(findLosses({ ...PLAIN, model: 'grey', profile: 'gamma 2.2' }, PLAIN, []).length, 1);
  });

  it('are not other names of the same profile', () => {
    const colorants = [0.6097, 0.3111, 0.0195, 0.2053, 0.6257, 0.0609, 0.1492, 0.0632, 0.7446];
    const named = (profile: string) => ({ ...PLAIN, profile, colorants });
    assert.deepEqual(findLosses(named('Adobe RGB (1998)'), named('RGB_D65_0.64'), []), []);
  });
});
