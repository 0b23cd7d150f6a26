/**
 * Removes the background of photographs and puts all cut-outs on a checkerboard in one image, for visual inspection.
 * Where another program's cut-out exists, measures how far the two agree.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp, { type OverlayOptions } from 'sharp';
import { Failure } from '../../base/failure.ts';
import type { Engine } from '../../engine/engine.ts';
import { sourceParams } from '../../engine/operations/parameters.ts';
import { removeBackgroundParams } from '../../engine/operations/remove-background/params.ts';
import { corpusPath } from '../../test/support/corpus.ts';

/** A person's judgement of the cut-out: `fits`, or what is wrong. */
const PHOTOGRAPHS: Readonly<Record<string, string>> = {
  'subject/rembg--animal-1.jpg': 'fits',
  'subject/rembg--animal-3.jpg': 'fits, with a corner of the sky',
  'subject/rembg--car-1.jpg': 'fits',
  'subject/rembg--car-2.jpg': 'fits',
  'subject/rembg--girl-3.jpg': 'fits',
  'faces/face_recognition--biden.jpg': 'fits',
  'faces/face_recognition--obama-480p.jpg': 'fits, with parts of two flags',
  'faces/face_recognition--obama_and_biden.jpg': 'fits, with the people at the edge',
  'faces/face_recognition--obama_partial_face.jpg': 'fits',
  'faces/face_recognition--two_people.jpg': 'fits',
  'faces/scikit-image--astronaut.png': 'fits, with the helmet',
  'faces/scikit-image--chelsea.png': 'fits; the ears are cut short',
  'faces/scikit-image--coffee.png': 'fits',
  'faces/scikit-image--coins.png': 'the coins, with a smear between them',
  'faces/scikit-image--rocket.jpg': 'the rocket without its tower',
  'faces/ulffd--imgs--16.jpg': 'fits',
  'faces/ulffd--imgs--26.jpg': 'the group, ragged at its edge',
  'jpeg/exif-samples--45-gps_ifd.jpg': 'fits',
  'jpeg/exif-samples--DSCN0021.jpg': 'the trunk; no clear subject',
  'jpeg/exif-samples--canon_hdr_NO.jpg': 'fits',
  'jpeg/image--cat.jpg': 'fits, with some of the ground',
  'jpeg/image--progressive--3.jpg': 'two of four tablets',
  'jpeg/libvips--rotation--1.jpg': 'the waterfall',
  'jpeg/pillow--flower.jpg': 'the flower, not its leaves',
  'jpeg/testdata--flower.png.im_q85_420_progr.jpg': 'fits',
  'jpeg/testdata--flower_small.cmyk.jpg': 'petals are missing',
  'jpeg/twelvemonkeys--gray-sample.jpg': 'fits',
  'webp/libvips--images--1.webp': 'a landscape, rightly refused',
  'avif/libavif--cosmos1650_yuv444_10bpc_p3pq.avif': 'fits',
  'avif/libavif--kodim03_yuv420_8bpc.avif': 'two of five caps, with a shadow',
  'avif/libavif--sofa_grid1x5_420.avif': 'some of the furniture; no clear subject',
  'avif/libvips--avif-orientation-6.avif': 'the food; no clear subject',
};

export interface BackgroundRow {
  photograph: string;
  /** Share of the image that was kept, 0 to 1; undefined if nothing was found. */
  kept: number | undefined;
  warnings: readonly string[];
  /** Area that both programs keep, as a share of the area that either keeps; undefined without the other cut-out. */
  overlap: number | undefined;
  /** A person's judgement. */
  seen: string;
}

const CELL = { width: 360, height: 300 };
const COLUMNS = 6;

/** @param sheet path of the image with all cut-outs */
export async function measureBackground(engine: Engine, sheet: string): Promise<BackgroundRow[]> {
  const rows: BackgroundRow[] = [];
  const cells: OverlayOptions[] = [];
  const there = Object.entries(PHOTOGRAPHS).filter(([path]) => existsSync(corpusPath(path)));
  for (const [photograph, seen] of there) {
    const result = await cutOut(engine, photograph);
    cells.push({
      input: await cell(photograph, result.file),
      left: (cells.length % COLUMNS) * CELL.width,
      top: Math.floor(cells.length / COLUMNS) * CELL.height,
    });
    const alpha = result.file && (await alphaOf(result.file));
    rows.push({
      photograph,
      kept: alpha && alpha.reduce((sum, value) => sum + value, 0) / alpha.length / 255,
      warnings: result.warnings,
      overlap: alpha && (await overlapWithOther(photograph, alpha)),
      seen,
    });
  }
  const height = Math.ceil(cells.length / COLUMNS) * CELL.height;
  if (cells.length > 0)
    await sharp({ create: { width: COLUMNS * CELL.width, height, channels: 3, background: 'white' } })
      .composite(cells)
      .png()
      .toFile(sheet);
  return rows;
}

async function cutOut(engine: Engine, path: string): Promise<{ file?: Buffer; warnings: readonly string[] }> {
  const image = { data: new Uint8Array(readFileSync(corpusPath(path))).buffer };
  const params = { ...sourceParams.parse({}), ...removeBackgroundParams.parse({}) };
  try {
    const { data, warnings } = await engine.run('remove-background', { image, params });
    return { file: Buffer.from(data), warnings };
  } catch (error) {
    if (error instanceof Failure && error.code === 'no_subject') return { warnings: [error.code] };
    throw error;
  }
}

const SQUARE = 12;

async function cell(path: string, file: Buffer | undefined): Promise<Buffer> {
  const { width, height } = CELL;
  const image = { width: width - 8, height: height - 30 };
  const squares = `<pattern id="p" width="${2 * SQUARE}" height="${2 * SQUARE}" patternUnits="userSpaceOnUse">
    <rect width="100%" height="100%" fill="#fff"/><path fill="#e03a8c" d="M0 0h${SQUARE}v${SQUARE}H0zM${SQUARE} ${SQUARE}h${SQUARE}v${SQUARE}h-${SQUARE}z"/></pattern>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${squares}
    <rect x="4" y="4" width="${image.width}" height="${image.height}" fill="url(#p)"/>
    <text x="4" y="${height - 8}" font-size="14">${path}${file ? '' : ': nothing found'}</text></svg>`;
  const cut =
    file &&
    (await sharp(file)
      .resize({ ...image, fit: 'contain', background: '#0000' })
      .png()
      .toBuffer());
  return sharp(Buffer.from(svg))
    .composite(cut ? [{ input: cut, left: 4, top: 4 }] : [])
    .png()
    .toBuffer();
}

async function alphaOf(file: Buffer): Promise<Uint8Array> {
  return sharp(file).ensureAlpha().extractChannel(3).raw().toBuffer();
}

const KEPT = 128;

async function overlapWithOther(photograph: string, alpha: Uint8Array): Promise<number | undefined> {
  const other = corpusPath(photograph.replace(/\.jpg$/, '.out.png'));
  if (!existsSync(other) || other === corpusPath(photograph)) return undefined;
  const theirs = await alphaOf(readFileSync(other));
  let both = 0;
  let either = 0;
  for (const [index, value] of alpha.entries()) {
    const [mine, yours] = [value >= KEPT, (theirs[index] ?? 0) >= KEPT];
    if (mine && yours) both += 1;
    if (mine || yours) either += 1;
  }
  return both / either;
}

export const sheetPath = (folder: string): string => join(folder, 'cut-outs.png');
