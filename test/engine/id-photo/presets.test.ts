/** The data file of the presets: its form, its arithmetic, its sources. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import list from '../../../engine/operations/id-photo/presets.json' with { type: 'json' };
import { PRESETS, presetSchema } from '../../../engine/operations/id-photo/presets.ts';
import { verifies } from '../../support/verifies.ts';

const presets = z.array(presetSchema).parse(list);
const toPixels = (millimetres: number, dpi: number) => Math.round((millimetres / 25.4) * dpi);

describe('the presets', () => {
  it('have unique ids, in order', () => {
    const ids = presets.map(({ id }) => id);
    assert.deepEqual(ids, [...new Set(ids)].sort());
    assert.equal(PRESETS.size, presets.length);
  });

  it('are 17 official, 13 quoted and 5 generic ones', () => {
    const count = (kind: string) => presets.filter(({ source_kind }) => source_kind === kind).length;
    assert.deepEqual(['official', 'quoted', 'generic'].map(count), [17, 13, 5]);
  });

  it('name the page that they were read from, and the date', () => {
    verifies('id-photo.presets.source');
    for (const { id, source_url, source_kind, source_read_on, country, document } of presets) {
      const generic = source_kind === 'generic';
      assert.equal(source_url === null, generic, id);
      assert.equal(id.startsWith('generic_'), generic, id);
      assert.deepEqual([country === 'ZZ', document === 'generic'], [generic, generic], id);
      assert.ok(Date.parse(source_read_on) >= Date.parse('2026-11-21'), id);
    }
  });

  it('have the pixels of their millimetres at their resolution, within one pixel', () => {
    for (const { id, width_mm, height_mm, width, height, dpi } of presets) {
      assert.equal(width_mm === null, height_mm === null, id);
      if (width_mm === null || height_mm === null) continue;
      assert.ok(Math.abs(toPixels(width_mm, dpi) - width) <= 1, `${id}: width`);
      assert.ok(Math.abs(toPixels(height_mm, dpi) - height) <= 1, `${id}: height`);
    }
  });

  it('are within their own ranges and those that their authorities accept', () => {
    const within = (least: number | null, value: number | null, most: number | null) =>
      value === null || ((least ?? value) <= value && value <= (most ?? value));
    for (const { id, min_bytes, max_bytes, head_min_mm, head_max_mm, accepts, ...preset } of presets) {
      assert.ok(within(null, min_bytes, max_bytes), id);
      assert.ok(within(null, head_min_mm, head_max_mm), id);
      if (!accepts) continue;
      assert.ok(accepts.formats.includes(preset.format), id);
      assert.ok(within(accepts.min_width, preset.width, accepts.max_width), id);
      assert.ok(within(accepts.min_height, preset.height, accepts.max_height), id);
      assert.ok(within(accepts.min_bytes, min_bytes, accepts.max_bytes), id);
      assert.ok(within(accepts.min_bytes, max_bytes, accepts.max_bytes), id);
    }
  });
});
