/** Converts real files over HTTP and has other programs look for what is lost without a warning. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { convertSource, SERVICE_SETTINGS, TARGETS } from '../../scripts/conversion-table/convert.ts';
import { PROGRAM_NAMES, silentLosses } from '../../scripts/conversion-table/report.ts';
import { SOURCES } from '../../scripts/conversion-table/sources.ts';
import { corpusSkipReason } from '../support/corpus.ts';
import { openServed } from '../support/serve-process.ts';
import { isSelected } from '../support/thorough.ts';
import { skipWithout } from '../support/tool.ts';

/** All conversions take ten minutes. A round takes this part of those of each file, the next round others. */
const EVERY = 12;

describe('conversions', { skip: corpusSkipReason || skipWithout(...PROGRAM_NAMES) }, () => {
  let service: Awaited<ReturnType<typeof openServed>> | undefined;
  let dataDir: string;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'imagecrew-conversions-'));
    service = await openServed(dataDir, SERVICE_SETTINGS);
  });
  after(async () => {
    await service?.close();
    await rm(dataDir, { recursive: true });
  });

  for (const [file, source] of SOURCES.entries()) {
    it(`of ${source.path} lose nothing without a warning`, async () => {
      const targets = TARGETS.filter((_, way) => isSelected(file, way, EVERY));
      const { conversions } = await convertSource(service!, source, targets);
      const silent = silentLosses(conversions);
      assert.deepEqual(
        silent.map(({ conversion, loss }) => `${conversion.target.format}: ${loss.column}: ${loss.text}`),
        [],
      );
      assert.deepEqual(
        conversions.flatMap(({ refused }) => refused ?? []),
        [],
        'every conversion has a result',
      );
    });
  }
});
