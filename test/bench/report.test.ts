import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { alignTable, formatTables } from '../../bench/report.ts';
import type { Figure, Values } from '../../bench/results.ts';

const values: Values = {
  imagesPerSecond: 20,
  ratio: 0.5,
  spread: 0.1,
  medianMs: 40,
  p95Ms: 55,
  bytesOut: 12_345,
  score: { similarity: 0.98765, psnr: null },
  readyBytes: 100_000_000,
  peakBytes: null,
};
const FIGURES: Figure[] = [
  { workload: 'a', title: 'One thing', contender: 'imagecrew', values },
  { workload: 'a', title: 'One thing', contender: 'jsquash', absent: 'cannot do it' },
  { workload: 'b', title: 'Another', contender: 'imagecrew', values: { ...values, ratio: null } },
];

describe('the table of all workloads', () => {
  test('compares Imagecrew with each peer, and names the workload where it is furthest behind', () => {
    const figures: Figure[] = [
      { workload: 'a', title: 'One thing', contender: 'imagecrew-http', values },
      { workload: 'a', title: 'One thing', contender: 'sharp', values: { ...values, imagesPerSecond: 40 } },
      { workload: 'b', title: 'Another', contender: 'imagecrew-http', values },
      { workload: 'b', title: 'Another', contender: 'sharp', values: { ...values, imagesPerSecond: 10 } },
    ];
    assert.match(formatTables(figures), /\| imagecrew-http \| +sharp \| +2 \| +1\.00 \| +– \| +0\.50 \| +a \|/);
  });
});

describe('the table', () => {
  test('aligns text left and figures right', () => {
    assert.equal(
      alignTable([
        ['', 'ms'],
        ['longer name', '5'],
        ['x', '1234'],
      ]),
      ['|             |   ms |', '| ----------- | ---: |', '| longer name |    5 |', '| x           | 1234 |'].join(
        '\n',
      ),
    );
  });

  test('has a section for each workload, with the figures of each contender', () => {
    const [one, another] = formatTables(FIGURES).split('### Another');
    assert.ok(one && another);
    const cells = one
      .split('\n')
      .find((line) => line.startsWith('| imagecrew'))!
      .split('|')
      .map((cell) => cell.trim());
    assert.deepEqual(cells.slice(1, -1), [
      'imagecrew',
      '20.00',
      '0.50',
      '5',
      '40.0',
      '55.0',
      '12,345',
      '0.9877',
      '–',
      '100',
      '–',
    ]);
    assert.match(one, /jsquash: cannot do it/);
    assert.match(another, /\| imagecrew \| +20\.00 \| +– \|/);
  });
});
