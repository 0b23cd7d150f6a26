import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sharp from 'sharp';
import { decodeFile, psnr, referenceOf, scoreOf, toRgb } from '../../bench/score.ts';
import { WORKLOADS } from '../../bench/workloads.ts';

/** Creates a smooth RGB image. */
function image(change: (value: number, channel: number) => number = (value) => value) {
  const [width, height] = [96, 64];
  const data = Buffer.alloc(width * height * 3);
  for (let at = 0; at < data.length; at++) {
    const pixel = Math.floor(at / 3);
    const channel = at % 3;
    data[at] = change(100 + 60 * Math.sin((pixel % width) / 9 + channel) + 60 * Math.cos(pixel / width / 7), channel);
  }
  return { data, width, height };
}

describe('the score', () => {
  test('of identical images is perfect', () => {
    assert.deepEqual(scoreOf(image(), image()), { similarity: 1, psnr: null });
  });

  test('falls as damage grows', () => {
    const scores = [8, 32].map((step) =>
      scoreOf(
        image(),
        image((value) => Math.round(value / step) * step),
      ),
    );
    assert.ok(1 > scores[0]!.similarity && scores[0]!.similarity > scores[1]!.similarity);
    assert.ok(scores[0]!.psnr! > scores[1]!.psnr!);
  });

  test('detects lost colours even when the luminance is right', async () => {
    const { data, width, height } = image();
    const grey = sharp(data, { raw: { width, height, channels: 3 } }).grayscale();
    const { similarity } = scoreOf(image(), await toRgb(grey));
    assert.ok(similarity < 0.9, String(similarity));
  });

  test('PSNR matches its definition', () => {
    assert.equal(psnr(Uint8Array.of(0, 0, 0, 0), Uint8Array.of(0, 255, 0, 255)), 10 * Math.log10(2));
  });

  test('rejects images of different sizes', () => {
    const { data, width, height } = image();
    assert.throws(() => scoreOf(image(), { data, width: height, height: width }), /96 x 64 but received 64 x 96/);
  });

  test('the reference has the size that the workload requests', async () => {
    const workload = WORKLOADS.find(({ name }) => name === 'webp-320')!;
    const input = await sharp({ create: { width: 640, height: 480, channels: 3, background: 'teal' } })
      .jpeg()
      .toBuffer();
    const reference = await referenceOf(workload, input);
    assert.deepEqual([reference.width, reference.height], [320, 240]);
    const result = await decodeFile('webp', await sharp(input).resize(320).webp({ quality: 90 }).toBuffer());
    assert.ok(scoreOf(reference, result).similarity > 0.99);
  });
});
