import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { factLines } from '../../../../console/pages/try/result/facts.ts';
import { outcomeText, warningText } from '../../../../console/pages/try/result/labels.ts';
import { fileNameOf, readResponse } from '../../../../console/pages/try/result/response.ts';
import { formatAreas, parseArea, parseAreas } from '../../../../console/pages/try/settings/area-text.ts';
import { headRange, presetsFor } from '../../../../console/pages/try/settings/presets.ts';
import { PRESETS } from '../../../../engine/operations/id-photo/presets.ts';
import { OUTCOMES, WARNINGS } from '../../../../engine/result.ts';
import { contentDisposition } from '../../../../server/results/filename.ts';

describe('the response on the page Try', () => {
  it('uses the filename from the service', () => {
    for (const name of ['photo.jpg', 'Žiga "one".webp', 'a;b, c.png'])
      assert.equal(fileNameOf(contentDisposition('inline', name)), name);
    assert.equal(fileNameOf(null), undefined);
  });

  it('reads the values of the headers', async () => {
    const headers = {
      ...{ 'X-IC-Original-Bytes': '2000', 'X-IC-Bytes': '500', 'X-IC-Width': '1200', 'X-IC-Height': '800' },
      ...{ 'X-IC-Format': 'webp', 'X-IC-Warnings': 'color_converted,alpha_flattened', 'X-IC-Similarity': '0.9921' },
    };
    const { facts, record } = await readResponse(new Response('bytes', { headers }));
    assert.equal(record, undefined);
    assert.deepEqual(facts.warnings, ['color_converted', 'alpha_flattened']);
    assert.deepEqual(factLines(facts), [
      ['Format', 'WebP'],
      ['Size', '1,200 × 800'],
      ['Similarity', '99.21%'],
    ]);
    assert.deepEqual((await readResponse(Response.json({ faces: [] }))).record, { faces: [] });
  });

  it('has a text for every outcome that aims at a size, and for every warning', () => {
    const outcomes = Object.keys(OUTCOMES).filter((outcome) => outcomeText(outcome) === undefined);
    assert.deepEqual(outcomes, ['done']);
    for (const [warning, text] of Object.entries(WARNINGS)) assert.equal(warningText(warning), text);
    assert.equal(warningText('of_a_newer_service'), 'of_a_newer_service');
  });
});

describe('areas as text', () => {
  it('are read and written in the format of the API', () => {
    const boxes = [
      { x: 1, y: 2, width: 30, height: 40 },
      { x: 5, y: 0, width: 6, height: 7 },
    ];
    assert.equal(formatAreas(boxes), '1,2,30,40;5,0,6,7');
    assert.deepEqual(parseAreas('1,2,30,40;5,0,6,7'), boxes);
    assert.equal(formatAreas([{ x: -0.4, y: 2.6, width: 0.2, height: 9.5 }]), '0,3,1,10');
    for (const text of [undefined, '', '1,2,3', '1,2,3,4,5', 'a,b,c,d']) assert.equal(parseArea(text), undefined);
  });
});

describe('presets of ID photos', () => {
  it('are found by the words of a search', () => {
    const presets = [...PRESETS.values()];
    assert.equal(presetsFor(presets, '').length, presets.length);
    const found = presetsFor(presets, 'visa schengen');
    assert.ok(found.length > 0 && found.length < presets.length);
    assert.deepEqual(presetsFor(presets, 'nowhere at all'), []);
  });

  it('show the share of the photo that the head takes', () => {
    const preset = [...PRESETS.values()].find(({ head_min_mm, height_mm }) => head_min_mm && height_mm)!;
    const [least, most] = headRange(preset)!;
    assert.ok(least > 20 && least < most && most < 100);
    assert.equal(headRange({ ...preset, height_mm: null }), undefined);
  });
});
