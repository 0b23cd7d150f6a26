import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RestartReason } from '../../engine/engine.ts';
import { createPool } from '../../engine/pool.ts';
import { onePage } from '../codecs/formats/pdf/file.ts';
import { ownBuffer } from '../support/engine.ts';

test('a worker whose decoder has trapped is replaced, even when the task continues without it', async () => {
  const restarts: RestartReason[] = [];
  const engine = await createPool({ workers: 1, observer: { workerRestarted: (reason) => restarts.push(reason) } });
  try {
    const form = '/Type /XObject /Subtype /Form /BBox [0 0 500 500] /Resources << /XObject << /X 5 0 R >> >>';
    // PDFium allocates memory for each level until none is left.
    const file = onePage('/MediaBox [0 0 500 500] /Resources << /XObject << /X 5 0 R >> >>', {
      content: '/X Do',
      more: [{ entries: form, data: '/X Do /X Do' }],
    });
    const { record } = await engine.run('inspect', { image: { data: ownBuffer(file) }, params: { page: 1 } });
    assert.deepEqual([record.width, record.height], [1042, 1042]);
    assert.deepEqual(restarts, ['poisoned']);
  } finally {
    await engine.close();
  }
});
