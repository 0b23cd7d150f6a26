import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  addStep,
  changeStep,
  duplicateStep,
  EMPTY,
  moveStep,
  needsWatermarkImage,
  parseDraft,
  removeStep,
  toDraft,
  toPipeline,
} from '../../../../console/pages/pipelines/draft.ts';
import { TEMPLATES } from '../../../../engine/pipeline/templates.ts';

const opsOf = ({ steps }: typeof EMPTY) => steps.map(({ op }) => op);
const RESIZED = toDraft({ steps: [{ op: 'resize' }, { op: 'adjust' }, { op: 'compress' }] });
const idOf = (at: number) => RESIZED.steps[at]!.id;

describe('the draft of a pipeline', () => {
  it('converts back to the same pipeline, for every template', () => {
    for (const { description, steps } of TEMPLATES)
      assert.deepEqual(toPipeline(toDraft({ description, steps })), { description, steps });
  });

  it('reads a saved pipeline from a response', () => {
    const saved = { name: 'shop', version: 3, versions: 3, created_at: '', updated_at: '' };
    const draft = toDraft({
      ...saved,
      description: null,
      output_name: '{name}.{ext}',
      steps: [{ op: 'resize', params: {} }],
    });
    assert.equal(draft.name, 'shop');
    assert.deepEqual(toPipeline(draft), { output_name: '{name}.{ext}', steps: [{ op: 'resize' }] });
  });

  it('accepts hyphens for underscores in the names of operations', () => {
    assert.deepEqual(opsOf(toDraft({ steps: [{ op: 'remove-background' }] })), ['remove_background']);
  });

  it('explains why a text is not a pipeline', () => {
    const refused = (value: unknown, message: RegExp) =>
      assert.throws(() => parseDraft(typeof value === 'string' ? value : JSON.stringify(value)), { message });
    refused('{"steps":', /^Expected valid JSON for the pipeline/);
    refused([], /^Expected an object for the pipeline but received \[\]\.$/);
    refused({}, /^Expected a list for steps but received nothing\.$/);
    refused({ steps: [{ op: 'enlarge' }] }, /for steps\[0\]\.op but received "enlarge"\.$/);
    refused({ steps: [{ op: 'flip', wehn: {} }] }, /^Expected one of op, when, params .* steps\[0\] .* "wehn"\.$/);
    refused({ steps: [{ op: 'flip', when: true }] }, /^Expected an object for steps\[0\]\.when but received true\.$/);
    refused({ stepps: [], steps: [] }, /"stepps"\.$/);
  });

  it('inserts a step that changes pixels before those that write the file', () => {
    assert.deepEqual(opsOf(addStep(RESIZED, 'border').draft), ['resize', 'adjust', 'border', 'compress']);
    assert.deepEqual(opsOf(addStep(RESIZED, 'convert').draft), ['resize', 'adjust', 'compress', 'convert']);
    assert.deepEqual(opsOf(addStep(EMPTY, 'border').draft), ['border']);
  });

  it('moves, duplicates, changes and removes steps', () => {
    assert.deepEqual(opsOf(moveStep(RESIZED, idOf(0), 1)), ['adjust', 'resize', 'compress']);
    assert.deepEqual(opsOf(moveStep(RESIZED, idOf(2), -5)), ['compress', 'resize', 'adjust']);
    assert.deepEqual(opsOf(removeStep(RESIZED, idOf(1))), ['resize', 'compress']);
    const { draft, added } = duplicateStep(changeStep(RESIZED, idOf(1), { params: { blur: 4 } }), idOf(1));
    assert.deepEqual(opsOf(draft), ['resize', 'adjust', 'adjust', 'compress']);
    assert.equal(draft.steps[2], added);
    assert.deepEqual(added.params, { blur: 4 });
    assert.equal(new Set(draft.steps.map(({ id }) => id)).size, 4);
  });

  it('says whether a logo must be sent', () => {
    assert.equal(needsWatermarkImage([{ op: 'watermark', params: { logo: true } }]), true);
    assert.equal(needsWatermarkImage([{ op: 'watermark', params: { watermark_text: 'a' } }, { op: 'flip' }]), false);
  });
});
