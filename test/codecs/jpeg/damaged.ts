/** Damaged JPEG files, and a function that runs every codec operation on one. */
import assert from 'node:assert/strict';
import type { JpegCodec } from '../../../codecs/jpeg/codec.ts';
import { decodeJpeg, decodeResized } from '../../../codecs/jpeg/decode.ts';
import { recodeJpeg } from '../../../codecs/jpeg/recode.ts';
import { requantizeJpeg } from '../../../codecs/jpeg/requantize.ts';
import { damagedCopies } from '../../support/damage.ts';
import { pattern, sharpOf } from '../../support/test-images.ts';

/** Maximum size of an image. Larger ones would take seconds each. */
const MAX_PIXELS = 250_000;

/** Returns JPEG files of every coding and chroma subsampling that sharp writes. */
export async function smallJpegs(): Promise<Uint8Array[]> {
  const [image, small] = [sharpOf(pattern(33, 17)), sharpOf(pattern(9, 20))];
  return await Promise.all([
    image.clone().jpeg().toBuffer(),
    image.clone().jpeg({ progressive: true }).toBuffer(),
    image.clone().jpeg({ chromaSubsampling: '4:4:4', optimizeCoding: false }).toBuffer(),
    small.clone().toColourspace('b-w').jpeg({ progressive: true }).toBuffer(),
    small.clone().toColourspace('cmyk').jpeg().toBuffer(),
  ]);
}

/** @param count number of damaged files from all sources together */
export function* damagedJpegs(sources: readonly Uint8Array[], count: number, seed: number): Generator<Uint8Array> {
  const each = Math.ceil(count / sources.length);
  for (const [index, source] of sources.entries()) yield* damagedCopies(source, each, seed + index);
}

/** Decodes a file at several sizes, recodes it, rotates it and shrinks it. @throws when the codec breaks a rule */
export function exerciseCodec(codec: JpegCodec, file: Uint8Array): { isDecoded: boolean; isRecoded: boolean } {
  if (!codec.open(file) || codec.run.imageWidth() * codec.run.imageHeight() > MAX_PIXELS)
    return { isDecoded: false, isRecoded: false };
  const whole = decodeJpeg(codec, file);
  for (const eighths of [1, 2, 3, 4, 7]) assert.equal(decodeJpeg(codec, file, { eighths }) === undefined, !whole);
  if (whole && whole.width > 2 && whole.height > 2) {
    const region = { left: 1, top: 1, width: whole.width - 2, height: whole.height - 2 };
    assert.ok(decodeJpeg(codec, file, { region }));
  }
  // These sizes are decoded at 7, 5, 3 and 2 eighths.
  for (const [across, down] of [
    [2, 5],
    [3, 3],
    [5, 5],
    [8, 8],
  ] as const) {
    const small = { width: Math.ceil((whole?.width ?? 1) / across), height: Math.ceil((whole?.height ?? 1) / down) };
    assert.equal(decodeResized(codec, file, small) === undefined, whole === undefined || whole.bands === 4);
  }
  const recoded = recodeJpeg(codec, file);
  if (recoded) {
    assert.ok(whole);
    assert.deepEqual(decodeJpeg(codec, recoded)?.data, whole.data);
  }
  const turn = { transposes: true, mirrorsAcross: true, mirrorsDown: false };
  const area = whole && { x: 0, y: 0, width: whole.width, height: Math.ceil(whole.height / 2) };
  const requantized = requantizeJpeg(codec, file, { area, turn, quality: 50, coding: () => 'sampled' });
  if (requantized instanceof Uint8Array) assert.equal(decodeJpeg(codec, requantized)?.width, area?.height);
  return { isDecoded: whole !== undefined, isRecoded: recoded !== undefined };
}
