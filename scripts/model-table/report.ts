/** Writes the document of the measurements. */
import { table } from '../markdown-table.ts';
import type { BackgroundRow } from './background.ts';
import type { FacesRow } from './faces.ts';
import type { OcrRow } from './ocr.ts';
import type { UpscaleRow } from './upscale.ts';

export interface Measurements {
  commit: string;
  /** ISO 8601 date. */
  date: string;
  faces: readonly FacesRow[];
  background: readonly BackgroundRow[];
  upscale: readonly UpscaleRow[];
  ocr: readonly OcrRow[];
}

export function writeReport({ commit, date, faces, background, upscale, ocr }: Measurements): string {
  return `# What the models find

Made by \`npm run models\` from commit ${commit} on ${date}, with YuNet n for faces, u2netp for backgrounds, the upscaler of the
package and Tesseract with the data of \`4.0.0_best_int\`. The images lie beside the repository, because their licences do
not all allow to publish them.

## Faces

Expected: the faces that a person counts, of those that show both eyes or one side of a face. A crowd is counted where faces
are larger than about 10 pixels. Missed and false are what a person has seen in the image with its boxes.

${table(
  ['photograph', 'expected', 'found', 'missed', 'false'],
  faces.map(({ photograph, expected, found, missed, wrong }) => [
    photograph,
    expected ?? 'a crowd',
    found,
    missed,
    wrong,
  ]),
)}

## Background

With the default parameters. Kept is the share of the image that is left. Overlap is the area that this and another
program's cut-out of the same photograph both keep, as a share of what either keeps. Seen is what a person says of the cut-out
on a chequerboard.

${table(
  ['photograph', 'kept', 'warnings', 'overlap', 'seen'],
  background.map(({ photograph, kept, warnings, overlap, seen }) => [
    photograph,
    kept === undefined ? '–' : percent(kept),
    warnings.join(', '),
    overlap === undefined ? '' : percent(overlap),
    seen,
  ]),
)}

## Upscaling

Images of the Kodak set that training did not see, halved with bicubic interpolation and upscaled again. Peak signal-to-noise
ratio in decibel and structural similarity of luma without a border of 2 pixels.

${table(
  ['input', 'images', 'PSNR', 'of bicubic', 'SSIM', 'of bicubic'],
  upscale.map(({ input, images, psnr, ssim }) => [
    input,
    images,
    psnr.own.toFixed(2),
    psnr.bicubic.toFixed(2),
    ssim.own.toFixed(4),
    ssim.bicubic.toFixed(4),
  ]),
)}

## Text

Pages drawn in eight typefaces, and scans with a transcription. Wrong are characters that have to be inserted, deleted or
replaced, of those that are written; white space counts once.

${table(
  ['pages', 'count', 'characters', 'wrong', 'confidence'],
  ocr.map(({ pages, count, characters, errors, confidence }) => [
    pages,
    count,
    characters,
    `${((100 * errors) / characters).toFixed(2)}%`,
    confidence,
  ]),
)}
`;
}

const percent = (share: number) => `${Math.round(100 * share)}%`;
