import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inspectionGroups } from '../../../../../console/pages/try/records/inspection.ts';
import { inspect } from '../../../../support/engine.ts';
import { ISO_METADATA, withGainMap } from '../../../../support/gain-maps.ts';
import { jpeg, pattern } from '../../../../support/test-images.ts';

const colourText = async (file: Buffer) => {
  const record = await inspect(file);
  return JSON.stringify(inspectionGroups({ ...record, duration_ms: 1 }).find(({ title }) => title === 'Colours'));
};

it('the record of an image names its gain map', async () => {
  assert.match(await colourText(await withGainMap({ iso: ISO_METADATA })), /Ultra HDR, ISO 21496-1, 40 × 30/);
  const cut = (await withGainMap()).subarray(0, -1000);
  assert.match(await colourText(cut), /Ultra HDR, missing/);
  assert.doesNotMatch(await colourText(await jpeg(pattern(16, 16))), /Gain map/);
});
