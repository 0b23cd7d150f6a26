/**
 * The candidate encoders and settings, by purpose. The chosen ones call the product's own functions, so that the
 * figures always describe what is really used.
 */

import type { EncodeContext } from '../../codecs/encoding.ts';
import { encodeAvif, encodeLosslessAvif } from '../../codecs/formats/avif/write.ts';
import { encodeGif } from '../../codecs/formats/gif/write.ts';
import { encodeJxl, encodeLosslessJxl } from '../../codecs/formats/jxl/write.ts';
import { encodeJpegTiff, encodeTiff } from '../../codecs/formats/tiff/write.ts';
import { encodeJpeg } from '../../codecs/jpeg.ts';
import { encodePalettePng, encodePng } from '../../codecs/png.ts';
import type { Image } from '../../codecs/vips.ts';
import { encodeLosslessWebp, encodeWebp } from '../../codecs/webp.ts';
import { type EncodeOptions, encode, type JsquashFormat } from '../jsquash.ts';

export type Encode = (image: Image, quality: number, context: EncodeContext) => Uint8Array | Promise<Uint8Array>;

export interface Candidate {
  name: string;
  encode: Encode;
  /** Whether the product uses it for this purpose. */
  chosen?: true;
}

/** One decision: what is encoded, the candidates, and the chosen one. */
export interface Decision {
  title: string;
  format: JsquashFormat | 'gif' | 'tiff';
  lossless: boolean;
  /** Qualities to try; a lossless encoding has none. */
  qualities: readonly number[];
  /** Restricts the images to those that the decision is about. */
  images?: readonly string[];
  /** The reason in words; the figures are in the table. */
  reason: string;
  candidates: readonly Candidate[];
}

const QUALITIES = [50, 75, 90];
const NO_QUALITY = [100];
const FLAT = ['screenshot', 'drawing'];
const OPAQUE = ['photograph', 'face', 'gradient', ...FLAT];

/** An encoder of @jsquash as the product would use it: its samples must first leave libvips as RGBA. */
const jsquash =
  (format: JsquashFormat, options: (quality: number) => EncodeOptions): Encode =>
  (image, quality) => {
    const rgba = image.hasAlpha() ? image : image.addalpha();
    const { width, height } = rgba;
    const data = new Uint8ClampedArray(rgba.writeToMemory().buffer as ArrayBuffer);
    return encode(format, { data, width, height }, options(quality));
  };

type VipsOptions = Record<string, unknown>;

const jpeg =
  (options: VipsOptions): Encode =>
  (image, Q) =>
    image.jpegsaveBuffer({ Q, subsample_mode: 'on', keep: 'none', ...options });
const png =
  (options: VipsOptions): Encode =>
  (image) =>
    image.pngsaveBuffer({ keep: 'none', ...options });
const webp =
  (options: VipsOptions): Encode =>
  (image, Q) =>
    image.webpsaveBuffer({ Q, keep: 'none', ...options });
const avif =
  (options: VipsOptions): Encode =>
  (image, Q) =>
    image.heifsaveBuffer({ Q, compression: 'av1', keep: 'none', ...options });
const jxl =
  (options: VipsOptions): Encode =>
  (image, Q) =>
    image.jxlsaveBuffer({ Q, keep: 'none', ...options });
const gif =
  (effort: number): Encode =>
  (image) =>
    image.gifsaveBuffer({ effort, dither: 1, keep: 'none' });
const tiff =
  (options: VipsOptions): Encode =>
  (image, Q) =>
    image.tiffsaveBuffer({ Q, keep: 'none', ...options });

const TRELLIS = { optimize_coding: true, quant_table: 3, trellis_quant: true };

export const DECISIONS: readonly Decision[] = [
  {
    title: 'JPEG',
    format: 'jpeg',
    lossless: false,
    qualities: QUALITIES,
    images: OPAQUE,
    reason:
      'An encoder of our own writes with trellis quantisation and the best progressive scans in the time in which libvips writes without them.',
    candidates: [
      {
        name: 'codecs/jpeg, trellis and the best scans',
        encode: (image, quality, context) => encodeJpeg(context, image, { quality, fullChroma: false }),
        chosen: true,
      },
      {
        name: 'wasm-vips, optimised tables, quantisation table 3',
        encode: jpeg({ optimize_coding: true, quant_table: 3 }),
      },
      { name: 'wasm-vips, as it comes', encode: jpeg({}) },
      { name: 'wasm-vips, optimised tables', encode: jpeg({ optimize_coding: true }) },
      { name: 'wasm-vips, with trellis', encode: jpeg(TRELLIS) },
      { name: 'wasm-vips, progressive', encode: jpeg({ optimize_coding: true, quant_table: 3, interlace: true }) },
      { name: 'wasm-vips, trellis and progressive', encode: jpeg({ ...TRELLIS, interlace: true }) },
      {
        name: 'wasm-vips, trellis, progressive, optimised scans',
        encode: jpeg({ ...TRELLIS, interlace: true, optimize_scans: true }),
      },
      {
        name: 'wasm-vips, trellis, progressive, deringing',
        encode: jpeg({ ...TRELLIS, interlace: true, overshoot_deringing: true }),
      },
      { name: '@jsquash/jpeg, as it comes', encode: jsquash('jpeg', (quality) => ({ quality })) },
      {
        name: '@jsquash/jpeg, several trellis passes',
        encode: jsquash('jpeg', (quality) => ({ quality, trellis_multipass: true, trellis_loops: 3 })),
      },
    ],
  },
  {
    title: 'PNG of photographs, lossless',
    format: 'png',
    lossless: true,
    qualities: NO_QUALITY,
    images: ['photograph', 'face', 'gradient', 'cutout'],
    reason:
      'Whoever asks for a lossless file wants it small. @jsquash/png makes far larger files, and takes 16 bits as RGBA only.',
    candidates: [
      { name: 'codecs/png', encode: (image, _quality, context) => encodePng(context, image), chosen: true },
      { name: 'wasm-vips, level 6, filter chosen per row', encode: png({ compression: 6, filter: 'all' }) },
      { name: 'wasm-vips, level 1, filter chosen per row', encode: png({ compression: 1, filter: 'all' }) },
      { name: 'wasm-vips, level 3, filter chosen per row', encode: png({ compression: 3, filter: 'all' }) },
      { name: 'wasm-vips, level 9, filter chosen per row', encode: png({ compression: 9, filter: 'all' }) },
      { name: 'wasm-vips, level 6, filter paeth', encode: png({ compression: 6, filter: 'paeth' }) },
      { name: 'wasm-vips, level 6, no filter', encode: png({ compression: 6, filter: 'none' }) },
      { name: '@jsquash/png', encode: jsquash('png', () => ({})) },
    ],
  },
  {
    title: 'PNG of screenshots and drawings, lossless',
    format: 'png',
    lossless: true,
    qualities: NO_QUALITY,
    images: FLAT,
    reason: 'Filters only disturb runs of equal pixels, and few colours fit a palette.',
    candidates: [
      { name: 'codecs/png', encode: (image, _quality, context) => encodePng(context, image), chosen: true },
      { name: 'wasm-vips, level 9, no filter', encode: png({ compression: 9, filter: 'none' }) },
      { name: 'wasm-vips, level 6, no filter', encode: png({ compression: 6, filter: 'none' }) },
      { name: 'wasm-vips, level 6, filter chosen per row', encode: png({ compression: 6, filter: 'all' }) },
      { name: 'wasm-vips, level 9, filter chosen per row', encode: png({ compression: 9, filter: 'all' }) },
      { name: '@jsquash/png', encode: jsquash('png', () => ({})) },
    ],
  },
  {
    title: 'PNG with a palette',
    format: 'png',
    lossless: false,
    qualities: QUALITIES,
    images: [...FLAT, 'cutout'],
    reason:
      'More effort finds a palette that saves a few percent, for about as much time again. Below 6 wasm-vips maps whole areas to wrong colours.',
    candidates: [
      {
        name: 'colours of wasm-vips, effort 4, our mapping',
        encode: (image, quality, context) => encodePalettePng(context, image, { quality, dither: true }),
        chosen: true,
      },
      ...[1, 4, 7, 10].map((effort) => ({
        name: `wasm-vips, effort ${effort}`,
        encode: ((image, Q) =>
          image.pngsaveBuffer({
            palette: true,
            Q,
            effort,
            dither: 1,
            compression: 9,
            filter: 'none',
            keep: 'none',
          })) satisfies Encode,
      })),
    ],
  },
  {
    title: 'WebP, lossy',
    format: 'webp',
    lossless: false,
    qualities: QUALITIES,
    reason:
      'Our own takes fewer bytes at equal quality (`npm run bench:webp-bytes`). The encoder is the same in both packages: below effort 3 the bytes rise, above 4 they fall by little for twice the time.',
    candidates: [
      {
        name: 'of our own',
        encode: (image, quality, context) => encodeWebp(context, image, { quality, sharpChroma: false }),
        chosen: true,
      },
      ...[0, 2, 3, 4, 6].map((effort) => ({ name: `wasm-vips, effort ${effort}`, encode: webp({ effort }) })),
      {
        name: 'wasm-vips, effort 4, sharp chroma',
        encode: (image, quality, context) => encodeWebp(context, image, { quality, sharpChroma: true }),
      },
      { name: '@jsquash/webp, as it comes', encode: jsquash('webp', (quality) => ({ quality })) },
    ],
  },
  {
    title: 'WebP, lossless',
    format: 'webp',
    lossless: true,
    qualities: NO_QUALITY,
    reason:
      'The effort depends on size and flatness (`losslessEffort`); these images have just under a megapixel, up to which it is the largest that takes less than three seconds. From effort 1 on the bytes of photographs stay about the same, however long the search.',
    candidates: [
      { name: 'wasm-vips, effort by size and flatness', encode: (image) => encodeLosslessWebp(image), chosen: true },
      ...[0, 1, 4, 6].map((effort) => ({
        name: `wasm-vips, effort ${effort}`,
        encode: webp({ lossless: true, exact: true, Q: 75, effort }),
      })),
      ...[50, 75, 80, 90].map((Q) => ({
        name: `wasm-vips, effort 2, search ${Q}`,
        encode: webp({ lossless: true, exact: true, Q, effort: 2 }),
      })),
      { name: '@jsquash/webp', encode: jsquash('webp', () => ({ lossless: 1, exact: 1 })) },
    ],
  },
  {
    title: 'AVIF, lossy',
    format: 'avif',
    lossless: false,
    qualities: QUALITIES,
    reason:
      'Speed 6 up to half a megapixel (flat images: a megapixel), where it takes at most two seconds, and speed 8 above. At equal Butteraugli and SSIMULACRA2 speed 8 takes 15 % more bytes than speed 6 for photographs and 20 to 75 % more for others; libvips at effort 1 meets speed 8 in time and size, whichever of its two tunings it uses (two photographs, the mean of both measures: 1.01 times the bytes tuned for SSIM, 1.02 as it comes). Speed 9 takes 0.4 times the time of speed 8 and 15 % more bytes for these. The package icodec 0.6.0, with SIMD and 8 MB, takes 0.85 times the time at speed 8 for 1.02 times the bytes (three photographs): too little for its size. Beside avifenc: `npm run bench:avif-bytes`.',
    candidates: [
      {
        name: '@jsquash/avif, speed by size and flatness',
        encode: (image, quality, { modules }) => encodeAvif(image, { quality, fullChroma: quality >= 90 }, modules),
        chosen: true,
      },
      ...[6, 7, 8, 9, 10].map((speed) => ({
        name: `@jsquash/avif, speed ${speed}`,
        encode: jsquash('avif', (quality) => ({ quality, speed, subsample: quality >= 90 ? 3 : 1 })),
      })),
      ...[0, 1, 2].map((effort) => ({ name: `wasm-vips, effort ${effort}`, encode: avif({ effort }) })),
      { name: 'wasm-vips, effort 1, tuned for SSIM', encode: avif({ effort: 1, tune: 'ssim' }) },
    ],
  },
  {
    title: 'AVIF, lossless',
    format: 'avif',
    lossless: true,
    qualities: NO_QUALITY,
    reason: 'More effort costs more time than it saves bytes.',
    candidates: [
      { name: 'wasm-vips, effort 1', encode: (image) => encodeLosslessAvif(image), chosen: true },
      ...[0, 2].map((effort) => ({ name: `wasm-vips, effort ${effort}`, encode: avif({ lossless: true, effort }) })),
      {
        name: '@jsquash/avif, speed 8',
        encode: jsquash('avif', () => ({ lossless: true, speed: 8 })),
      },
    ],
  },
  {
    title: 'JPEG XL, lossy',
    format: 'jxl',
    lossless: false,
    qualities: QUALITIES,
    reason:
      'wasm-vips runs the same library with SIMD, which @jsquash/jxl does without in Node. Effort 5 is the first that is small, and no more effort makes it smaller.',
    candidates: [
      { name: 'wasm-vips, effort 5', encode: (image, quality) => encodeJxl(image, { quality }), chosen: true },
      ...[3, 4, 6, 7].map((effort) => ({ name: `wasm-vips, effort ${effort}`, encode: jxl({ effort }) })),
      ...[3, 5].map((effort) => ({
        name: `@jsquash/jxl, effort ${effort}`,
        encode: jsquash('jxl', (quality) => ({ quality, effort })),
      })),
    ],
  },
  {
    title: 'JPEG XL, lossless',
    format: 'jxl',
    lossless: true,
    qualities: NO_QUALITY,
    reason:
      'On photographs more effort saves a few percent; on screenshots and drawings effort 5 saves most of the file.',
    candidates: [
      { name: 'wasm-vips, effort 3', encode: (image) => encodeLosslessJxl(image), chosen: true },
      ...[1, 2, 4, 5].map((effort) => ({
        name: `wasm-vips, effort ${effort}`,
        encode: jxl({ lossless: true, effort }),
      })),
      { name: '@jsquash/jxl, effort 3', encode: jsquash('jxl', () => ({ lossless: true, effort: 3 })) },
    ],
  },
  {
    title: 'GIF',
    format: 'gif',
    lossless: false,
    qualities: [75],
    reason: 'Effort is spent on the palette, which is what a GIF is short of.',
    candidates: [
      { name: 'wasm-vips, effort 7', encode: (image, quality) => encodeGif(image, { quality }), chosen: true },
      ...[1, 4, 10].map((effort) => ({ name: `wasm-vips, effort ${effort}`, encode: gif(effort) })),
    ],
  },
  {
    title: 'TIFF, lossless',
    format: 'tiff',
    lossless: true,
    qualities: NO_QUALITY,
    reason: 'Deflate with a predictor is read everywhere.',
    candidates: [
      { name: 'wasm-vips, deflate, predictor', encode: (image) => encodeTiff(image), chosen: true },
      { name: 'wasm-vips, deflate, no predictor', encode: tiff({ compression: 'deflate', predictor: 'none' }) },
      { name: 'wasm-vips, LZW, predictor', encode: tiff({ compression: 'lzw', predictor: 'horizontal' }) },
      { name: 'wasm-vips, uncompressed', encode: tiff({ compression: 'none' }) },
    ],
  },
  {
    title: 'TIFF, lossy',
    format: 'tiff',
    lossless: false,
    qualities: QUALITIES,
    images: OPAQUE,
    reason: 'The only lossy compression of TIFF that is read everywhere.',
    candidates: [
      { name: 'wasm-vips, JPEG', encode: (image, quality) => encodeJpegTiff(image, { quality }), chosen: true },
      { name: 'wasm-vips, WebP', encode: tiff({ compression: 'webp' }) },
    ],
  },
];
