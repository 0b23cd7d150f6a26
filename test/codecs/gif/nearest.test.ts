import assert from 'node:assert/strict';
import { it } from 'node:test';
import { METRIC, NearestColour } from '../../../codecs/gif/nearest.ts';
import { makeRandom } from '../../support/damage.ts';

it('the nearest colour is the same however often its cell was searched', () => {
  const random = makeRandom(1);
  for (const size of [1, 7, 256]) {
    const palette = Array.from({ length: 3 * size }, () => random(256));
    const search = new NearestColour(palette);
    const distance = (index: number, colour: readonly number[]) =>
      METRIC.reduce((sum, weight, axis) => sum + ((palette[3 * index + axis]! - colour[axis]!) * weight) ** 2, 0);
    const assertNearest = (colour: readonly [number, number, number]) => {
      const distances = Array.from({ length: size }, (_, index) => distance(index, colour));
      assert.equal(search.find(...colour), distances.indexOf(Math.min(...distances)), `${colour} of ${size}`);
    };
    for (let round = 0; round < 300; round += 1) assertNearest([random(256), random(256), random(256)]);
    // All in a few cells, at fractions too, as the means of a histogram are.
    for (let round = 0; round < 300; round += 1) assertNearest([120 + random(64) / 4, 60 + random(64) / 4, random(9)]);
  }
});
