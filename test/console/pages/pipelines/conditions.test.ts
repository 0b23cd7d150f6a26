import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Condition } from '../../../../client/types.generated.ts';
import { canShow, initialValue, namesToAdd, withField } from '../../../../console/pages/pipelines/conditions.ts';
import { conditionText, paramsText } from '../../../../console/pages/pipelines/labels.ts';
import { parseCondition } from '../../../../engine/pipeline/parse-condition.ts';

describe('the conditions of a step', () => {
  it('start with values that the service accepts', () => {
    const names = namesToAdd({}, false);
    assert.ok(names.includes('has_gps') && names.includes('any') && names.includes('not'));
    for (const name of names) assert.doesNotThrow(() => parseCondition({ [name]: initialValue(name) }, 'when'), name);
  });

  it('are offered once each, and nested ones without any and not', () => {
    assert.ok(!namesToAdd({ min_width: 1 }, false).includes('min_width'));
    assert.ok(!namesToAdd({}, true).some((name) => name === 'any' || name === 'not'));
  });

  it('are removed with the last one', () => {
    assert.deepEqual(withField({ min_width: 1 }, 'animated', true), { min_width: 1, animated: true });
    assert.equal(withField({ min_width: 1 }, 'min_width', undefined), undefined);
  });

  it('are shown one level deep, and as JSON if they are deeper', () => {
    assert.ok(canShow('any', [{ min_width: 1 }, { animated: true }]));
    assert.ok(canShow('not', { format: 'png' }));
    assert.ok(!canShow('any', [{ not: { animated: true } }]));
    assert.ok(!canShow('not', [1]));
    assert.ok(!canShow('unheard_of', 1));
  });

  it('are described in words', () => {
    const condition: Condition = {
      min_width: 1000,
      format: ['png', 'gif'],
      has_alpha: false,
      any: [{ max_dpi: 72 }, { animated: true }],
      not: { orientation: 'square' },
    };
    assert.equal(
      conditionText(condition),
      'width at least 1000 and format is png or gif and no see-through pixels and any of (DPI at most 72; animated) and not (orientation square)',
    );
    assert.equal(
      paramsText({ width: 800, fit: 'cover', enlarge: true, dpi: 72 }),
      'width 800, fit cover, enlarge, DPI 72',
    );
  });
});
