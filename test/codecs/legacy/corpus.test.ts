/** Real files of old formats, compared with recorded pixel hashes of trusted decoders. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FormatReader } from '../../../codecs/format-reader.ts';
import { loadCodec } from '../../../codecs/formats/codecs.ts';
import { reader as dcxReader } from '../../../codecs/formats/dcx/read.ts';
import { reader as pictReader } from '../../../codecs/formats/pict/read.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { pixelsHash, readBitmap, toRgba } from '../../support/readers.ts';

const mspReader = (await loadCodec('msp')).reader!;
const pamReader = (await loadCodec('pam')).reader!;
const pcxReader = (await loadCodec('pcx')).reader!;
const qoiReader = (await loadCodec('qoi')).reader!;
const sgiReader = (await loadCodec('sgi')).reader!;
const sunReader = (await loadCodec('sun')).reader!;
const walReader = (await loadCodec('wal')).reader!;
const xbmReader = (await loadCodec('xbm')).reader!;
const xpmReader = (await loadCodec('xpm')).reader!;
const xvReader = (await loadCodec('xv')).reader!;

/** Versions: Pillow 9.4, ImageMagick 6.9.11, Netpbm 11. */
type ReferenceDecoder = 'Pillow' | 'ImageMagick' | 'Netpbm' | 'both';

/** Size and {@link pixelsHash} by the trusted decoder. `both` means Pillow and ImageMagick. */
const FACTS: readonly [file: string, reader: FormatReader, size: string, hash: string, by: ReferenceDecoder][] = [
  ['kimageformats--16color.pcx', pcxReader, '200x168', '806833aa34b0a6a5', 'both'],
  ['kimageformats--CGA_FSD.pcx', pcxReader, '320x200', '168dfa4a44378b7c', 'ImageMagick'],
  ['kimageformats--bw.pcx', pcxReader, '32x32', 'c2d60dca6e7ead62', 'both'],
  ['kimageformats--dice_rgba.pcx', pcxReader, '63x47', '89345c6c55dd8d56', 'ImageMagick'],
  ['kimageformats--indexed4.pcx', pcxReader, '32x32', 'e7ec9a93a8d986b1', 'ImageMagick'],
  ['kimageformats--indexed8.pcx', pcxReader, '32x32', 'f525bbd15de4fecf', 'both'],
  ['kimageformats--mono.pcx', pcxReader, '581x400', '8cc0252210a8ec57', 'Netpbm'],
  ['kimageformats--rgb-gimp-2.8.10.pcx', pcxReader, '32x32', 'c945a5ab94457015', 'both'],
  ['pillow--odd_stride.pcx', pcxReader, '371x150', '1ddf23cd273bbecd', 'both'],
  ['pillow--p_4_planes.pcx', pcxReader, '1x1', '34aaa746c25a0f10', 'ImageMagick'],
  ['pillow--pil184.pcx', pcxReader, '447x144', 'c22e2037b6881bc7', 'Pillow'],
  ['pillow--hopper.dcx', dcxReader, '128x128', '8279c3246d954baa', 'both'],
  ['kimageformats--rgb-gimp-2.10-1bit.ras', sunReader, '32x32', 'fe9e053e995d2d26', 'both'],
  ['kimageformats--rgb-gimp-2.10-gray.ras', sunReader, '32x32', 'a672f068ab0017b2', 'both'],
  ['kimageformats--rgb-gimp-2.10-pal16.ras', sunReader, '32x32', '1b7f336230638ab8', 'both'],
  ['kimageformats--rgb-gimp-2.8.10-standard.ras', sunReader, '32x32', 'c945a5ab94457015', 'both'],
  ['kimageformats--rgb24.ras', sunReader, '70x46', '1252b2f3facc0fb6', 'both'],
  ['kimageformats--rle_1bit.ras', sunReader, '800x600', '42efe717f649d96b', 'both'],
  ['kimageformats--rle_24bit.ras', sunReader, '200x150', 'de286cb64d452a8a', 'Pillow'],
  ['kimageformats--rle_pal8bit.ras', sunReader, '320x240', '2245d2367e1535f6', 'both'],
  ['pillow--hopper.ras', sunReader, '128x128', '86930caa3ba582ec', 'both'],
  ['pillow--sunraster.im1', sunReader, '640x400', '4a158aa02915a3ac', 'both'],
  ['pillow--hopper.bw', sgiReader, '128x128', 'b67603cce480c017', 'both'],
  ['pillow--hopper.sgi', sgiReader, '128x128', '8279c3246d954baa', 'both'],
  ['pillow--hopper.msp', mspReader, '128x128', '048ec6bebff58138', 'Pillow'],
  ['pillow--hopper.p7', xvReader, '128x128', '9c7e903983df76eb', 'Pillow'],
  // The hash of hopper.ras, which both decoders read. Neither reads QOI.
  ['pillow--hopper.qoi', qoiReader, '128x128', '86930caa3ba582ec', 'both'],
  // Pillow's six-bit levels, scaled to eight bits.
  ['pillow--hopper.wal', walReader, '128x128', '3f3a56db55386e72', 'Pillow'],
  // Not compared with Pillow, which reads the set bits as white.
  ['pillow--hopper.xbm', xbmReader, '128x128', '613c3a9002168440', 'ImageMagick'],
  ['pillow--hopper.xpm', xpmReader, '128x128', '2682e8a3be249d0d', 'ImageMagick'],
  ['pillow--hopper_bpp2.xpm', xpmReader, '128x128', '5dad8523c9f20bc9', 'ImageMagick'],
  ['twelvemonkeys--rgba.pam', pamReader, '4x2', '6f0ed661bbd53c5d', 'ImageMagick'],
];

for (const [file, reader, size, hash, by] of FACTS) {
  test(`${file}: has the pixels that ${by} reads`, { skip: corpusSkipReason }, async () => {
    const bitmap = await readBitmap(reader, corpus(`legacy/${file}`)!);
    assert.equal(`${bitmap.width}x${bitmap.height}`, size);
    assert.equal(pixelsHash(bitmap), hash);
    assert.equal(bitmap.truncated ?? false, false);
  });
}

test('reads a grey PCX with a gap between pixels and palette', { skip: corpusSkipReason }, async () => {
  const { data, width } = await readBitmap(pcxReader, corpus('legacy/kimageformats--ccbug_463951.pcx')!);
  assert.equal(width, 581);
  const seen = new Set<number>();
  for (let at = 0; at < data.length; at += 3) {
    assert.ok(data[at] === data[at + 1] && data[at] === data[at + 2]);
    seen.add(data[at]!);
  }
  // The image has patches from black to white in about 24 steps.
  assert.ok(seen.has(0) && seen.has(255) && seen.size >= 24);
});

test('reads a PCX of eight colours without a palette with the EGA colours', { skip: corpusSkipReason }, async () => {
  const rgba = toRgba(await readBitmap(pcxReader, corpus('legacy/kimageformats--ICONDOC.pcx')!));
  const colours = new Set<string>();
  for (let at = 0; at < rgba.length; at += 4) colours.add(Buffer.from(rgba.subarray(at, at + 3)).toString('hex'));
  const ega = ['000000', '0000aa', '00aa00', '00aaaa', 'aa0000', 'aa00aa', 'aa5500', 'aaaaaa'];
  assert.deepEqual(
    [...colours].filter((colour) => !ega.includes(colour)),
    [],
  );
  assert.ok(colours.size >= 7, `${colours.size} colours`);
});

test('reads a PICT of polygons at its resolution', { skip: corpusSkipReason }, async () => {
  const bitmap = await readBitmap(pictReader, corpus('legacy/twelvemonkeys--cow.pict')!, { maxPixels: 7_000_000 });
  assert.deepEqual([bitmap.width, bitmap.height], [3148, 2188]);
  const counts = new Map<number, number>();
  for (let at = 0; at < bitmap.data.length; at += 3) {
    const colour = (bitmap.data[at]! << 16) | (bitmap.data[at + 1]! << 8) | bitmap.data[at + 2]!;
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  // The image shows a black and white cow with beige highlights on a meadow of two greens.
  const share = (colour: number) => (counts.get(colour) ?? 0) / (bitmap.width * bitmap.height);
  assert.ok(share(0x000000) > 0.3 && share(0x000000) < 0.5, `black: ${share(0x000000)}`);
  assert.ok(share(0xffffff) > 0.3 && share(0xffffff) < 0.5, `white: ${share(0xffffff)}`);
  assert.ok(counts.size >= 5 && counts.size < 10, `${counts.size} colours`);
});
