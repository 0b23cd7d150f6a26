import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sharp from 'sharp';
import { plot } from '../../bench/plot.ts';
import type { Figure, Values } from '../../bench/results.ts';
import { renderSvg } from '../../bench/svg.ts';

const figure = (workload: string, contender: string, imagesPerSecond: number, ratio: number | null = null): Figure => {
  const values: Values = {
    imagesPerSecond,
    ratio,
    spread: 0,
    medianMs: 1,
    p95Ms: 1,
    bytesOut: 1500,
    score: null,
    readyBytes: null,
    peakBytes: null,
  };
  return { workload, title: `Workload ${workload}`, contender, values };
};

const widths = (svg: string) =>
  [...svg.matchAll(/<rect x="\d+" y="\d+" width="([\d.]+)"/g)].map(([, width]) => Number(width));

describe('the plot', () => {
  test('draws bars in proportion within a group, each group on its own scale', () => {
    const svg = plot([figure('a', 'imagecrew', 20), figure('a', 'sharp', 40), figure('b', 'sharp', 3)], '');
    const [half, full, other] = widths(svg);
    assert.ok(Math.abs(half! / full! - 0.5) < 0.01);
    assert.equal(other, full);
  });

  test('shows speed, ratio, size and the reason for a missing result', () => {
    const absent: Figure = {
      workload: 'a',
      title: 'Workload a',
      contender: 'jsquash',
      absent: 'reads <nothing> & more',
    };
    const svg = plot([figure('a', 'imagecrew', 20, 0.5), absent], 'caption');
    for (const text of ['20.0/s · 0.50 ×', '1.5 kB', 'caption', 'Workload a']) assert.ok(svg.includes(text), text);
    assert.ok(!svg.includes('<nothing>'), 'text is escaped');
  });

  test('renders bars on a white background', async () => {
    const svg = plot([figure('a', 'imagecrew', 20), figure('a', 'sharp', 40)], '');
    const { data, info } = await sharp(await renderSvg(svg))
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const [, x, y, width] = /<rect x="(\d+)" y="(\d+)" width="([\d.]+)"/.exec(svg)!.map(Number);
    const pixel = (left: number, top: number) => [...data.subarray((top * info.width + left) * 3).subarray(0, 3)];
    assert.deepEqual(pixel(x! + Math.floor(width! / 2), y! + 3), [0x15, 0x65, 0xc0]);
    assert.deepEqual(pixel(x! + Math.floor(width! * 1.8), y! + 1), [255, 255, 255]);
  });
});
