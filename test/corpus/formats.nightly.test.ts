/** Converts real files of every format to every output format, and opens the results with other decoders. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sharp from 'sharp';
import { OUTPUT_FORMATS, type OutputFormat } from '../../codecs/formats/registry.ts';
import { readMetadata } from '../../codecs/metadata/index.ts';
import { corpus, corpusSkipReason } from '../support/corpus.ts';
import { compress } from '../support/engine.ts';
import { withMagick } from '../support/magick.ts';
import { difference, type RawImage } from '../support/test-images.ts';
import { isSelected } from '../support/thorough.ts';
import { verifies } from '../support/verifies.ts';

/** Sixty files, chosen for the features that they exercise. The manifest beside them describes each. */
const FILES = [
  ...['exif-samples--DSCN0010.jpg', 'exif-samples--canon_hdr_NO.jpg', 'image--cat.jpg', 'libvips--rotation--6.jpg'].map(
    (file) => `jpeg/${file}`,
  ),
  ...[
    'pillow--hopper_orientation_5.jpg',
    'pillow--hopper_gray.jpg',
    'pillow--pil_sample_cmyk.jpg',
    'twelvemonkeys--cmyk-sample.jpg',
  ].map((file) => `jpeg/${file}`),
  ...[
    'testdata--flower.png.im_q85_420_progr.jpg',
    'twelvemonkeys--dnl-marker.jpg',
    'pillow--frozenpond.mpo',
    'libvips--ultra-hdr.jpg',
  ].map((file) => `jpeg/${file}`),
  ...[
    'libvips--rgba.png',
    'libvips--indexed.png',
    'pillow--iss634.apng',
    'pillow--transparent.png',
    'pngsuite--basn0g16.png',
  ].map((file) => `png/${file}`),
  ...[
    'pngsuite--basn6a16.png',
    'pngsuite--basi3p04.png',
    'pngsuite--tbrn2c08.png',
    'pngsuite--s01n3p01.png',
    'scikit-image--palette_gray.png',
  ].map((file) => `png/${file}`),
  ...[
    'image--anim.webp',
    'image--lossy_alpha.webp',
    'libwebp-test-data--lossless1.webp',
    'libwebp-test-data--small_1x1.webp',
  ].map((file) => `webp/${file}`),
  ...['libwebp-test-data--near_lossless_75.webp', 'pillow--hopper_orientation_7.webp', 'pillow--flower2.webp'].map(
    (file) => `webp/${file}`,
  ),
  ...[
    'libavif--abc_color_irot_alpha_irot.avif',
    'libavif--colors-animated-8bpc.avif',
    'libavif--colors_sdr_srgb.avif',
  ].map((file) => `avif/${file}`),
  ...[
    'libavif--paris_icc_exif_xmp.avif',
    'libavif--white_1x1.avif',
    'pillow--rot3mir1.avif',
    'pillow--transparency.avif',
  ].map((file) => `avif/${file}`),
  ...[
    'libvips--cogs.gif',
    'libvips--dispose-previous.gif',
    'pillow--hopper.gif',
    'pillow--transparent.gif',
    'pygif--interlace.gif',
  ].map((file) => `gif/${file}`),
  ...[
    'image-tiff--BigTIFF.tif',
    'image-tiff--rgb-3c-16b.tiff',
    'image-tiff--cmyk-3c-8b.tiff',
    'pillow--g4_orientation_6.tif',
  ].map((file) => `tiff/${file}`),
  ...['pillow--multipage.tiff', 'pillow--hopper_lzw.tif', 'pillow--tiff_16bit_RGB.tiff'].map((file) => `tiff/${file}`),
  ...[
    'pillow--pal8.bmp',
    'pillow--pal4rle.bmp',
    'pillow--rgb24.bmp',
    'pillow--rgba32.bmp',
    'pillow--pal8topdown.bmp',
  ].map((file) => `bmp/${file}`),
  ...['libvips--favicon.ico', 'pillow--hopper_256x256.ico', 'image--bmp-32bpp-alpha.ico'].map((file) => `ico/${file}`),
  ...[
    'kimageformats--rgb.jxl',
    'kimageformats--orientation6.jxl',
    'kimageformats--testcard_gray16.jxl',
    'testdata--1x1_exif_xmp.jxl',
  ].map((file) => `jxl/${file}`),
];

/**
 * Output widths for photographs of 3 and 8 megapixels, because encoding takes nearly all of the time. Another
 * photograph of 3 megapixels is encoded at full size in every format. The pixels of all of them are compared at full
 * size.
 */
const WIDTHS: Readonly<Record<string, number>> = {
  'jpeg/exif-samples--canon_hdr_NO.jpg': 1024,
  'jpeg/libvips--ultra-hdr.jpg': 1024,
};

/** Formats that sharp decodes. */
const SHARP: ReadonlySet<OutputFormat> = new Set(['jpeg', 'png', 'webp', 'avif', 'gif', 'tiff']);
/** Formats that ImageMagick decodes. */
const MAGICK = { bmp: 'Bmp', ico: 'Ico', tga: 'Tga', psd: 'Psd' } as const;

/** Reads width and height with a decoder of another project. */
async function sizeInOtherDecoder(bytes: Buffer, format: OutputFormat): Promise<{ width: number; height: number }> {
  if (SHARP.has(format)) {
    const { width, height, pageHeight } = await sharp(bytes).metadata();
    return { width: width ?? 0, height: pageHeight ?? height ?? 0 };
  }
  if (format in MAGICK) {
    const name = MAGICK[format as keyof typeof MAGICK];
    return withMagick(bytes, name, ([frame]) => ({ width: frame?.width ?? 0, height: frame?.height ?? 0 }));
  }
  if (format === 'pdf') {
    const { width, height } = await sharp(bytes.subarray(bytes.indexOf('\xff\xd8\xff', 0, 'latin1'))).metadata();
    return { width: width ?? 0, height: height ?? 0 };
  }
  const { default: decodeJxl, init } = await import('@jsquash/jxl/decode.js');
  jxl ??= loadJxl(init);
  await jxl;
  const { width, height } = await decodeJxl(new Uint8Array(bytes).buffer);
  return { width, height };
}

let jxl: Promise<unknown> | undefined;

async function loadJxl(init: (module: WebAssembly.Module) => Promise<unknown>): Promise<unknown> {
  const { readFile } = await import('node:fs/promises');
  const { createRequire } = await import('node:module');
  const path = createRequire(import.meta.url).resolve('@jsquash/jxl/codec/dec/jxl_dec.wasm');
  return init(await WebAssembly.compile(await readFile(path)));
}

/**
 * Decodes the source with sharp: 8 bits, upright, with an alpha channel, because a PNG drops one that is fully opaque.
 * @returns undefined for sources that sharp cannot read
 */
async function decodeWithSharp(bytes: Uint8Array, folder: string): Promise<RawImage | undefined> {
  // sharp cannot read these formats, nor AVIF image sequences.
  if (folder === 'jxl' || folder === 'bmp' || folder === 'ico' || Buffer.from(bytes).includes('avis')) return undefined;
  const { data, info } = await sharp(bytes)
    .autoOrient()
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels };
}

describe('real files', { skip: corpusSkipReason }, () => {
  verifies('compress.format.jpeg', 'compress.format.png', 'compress.format.webp', 'compress.format.avif');
  verifies(
    'compress.format.gif',
    'compress.format.tiff',
    'compress.format.bmp',
    'compress.format.jxl',
    'compress.format.tga',
  );
  verifies('compress.format.pdf', 'compress.format.ico.square');

  for (const [file, path] of FILES.entries()) {
    test(path, async () => {
      const source = corpus(path);
      assert.ok(source, 'the file is in the corpus');
      const width = WIDTHS[path];
      for (const [way, format] of OUTPUT_FORMATS.entries()) {
        if (!isSelected(file, way, 3)) continue;
        const result = await compress(source, { format, dpi: 150, ...(width === undefined ? {} : { width }) });
        const size = await sizeInOtherDecoder(result.bytes, format);
        assert.deepEqual([size.width, size.height], [result.width, result.height], format);
        if (format === 'ico') assert.ok(size.width === size.height && size.width >= 16 && size.width <= 256);
        if (format === 'jpeg' || format === 'png' || format === 'tiff') {
          assert.equal(Math.round(readMetadata(format, result.bytes).density?.x ?? 0), 150, format);
        }
      }
      const exact = await compress(source, { format: 'png', mode: 'lossless' });
      const reference = await decodeWithSharp(source, path.split('/')[0] as string);
      if (!reference) return;
      const ours = await sharp(exact.bytes)
        .toColourspace('srgb')
        .ensureAlpha()
        .raw({ depth: 'uchar' })
        .toBuffer({ resolveWithObject: true });
      const { max } = difference(
        { data: ours.data, width: ours.info.width, height: ours.info.height, channels: ours.info.channels },
        reference,
      );
      assert.equal(max, 0, 'every pixel as a trusted decoder sees it');
    });
  }
});
