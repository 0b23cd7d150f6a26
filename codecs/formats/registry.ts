/**
 * All formats: one import and one entry for each. Every one of them can be read; those with `output` can be written too.
 * Data and header code only, safe on the main thread. codecs.ts loads what reads and writes pixels.
 */

import { aai } from './aai/definition.ts';
import { analyze } from './analyze/definition.ts';
import { apple2 } from './apple2/definition.ts';
import { art } from './art/definition.ts';
import { artstudio } from './artstudio/definition.ts';
import { atari8 } from './atari8/definition.ts';
import { avif } from './avif/definition.ts';
import { avs } from './avs/definition.ts';
import { bmp } from './bmp/definition.ts';
import { cals } from './cals/definition.ts';
import { cin } from './cin/definition.ts';
import { cut } from './cut/definition.ts';
import { dcx } from './dcx/definition.ts';
import { dds } from './dds/definition.ts';
import { degas } from './degas/definition.ts';
import { dicom } from './dicom/definition.ts';
import { djvu } from './djvu/definition.ts';
import { doodle } from './doodle/definition.ts';
import { dpx } from './dpx/definition.ts';
import { exr } from './exr/definition.ts';
import { farbfeld } from './farbfeld/definition.ts';
import { fits } from './fits/definition.ts';
import type { Format, MagickCoder, OutputTraits } from './format.ts';
import { gif } from './gif/definition.ts';
import { hdr } from './hdr/definition.ts';
import { heic } from './heic/definition.ts';
import { hrz } from './hrz/definition.ts';
import { icns } from './icns/definition.ts';
import { ico } from './ico/definition.ts';
import { ilbm } from './ilbm/definition.ts';
import { jls } from './jls/definition.ts';
import { jng } from './jng/definition.ts';
import { jp2 } from './jp2/definition.ts';
import { jpeg } from './jpeg/definition.ts';
import { jxl } from './jxl/definition.ts';
import { koala } from './koala/definition.ts';
import { macpaint } from './macpaint/definition.ts';
import { mgh } from './mgh/definition.ts';
import { miff } from './miff/definition.ts';
import { mng } from './mng/definition.ts';
import { msp } from './msp/definition.ts';
import { msx } from './msx/definition.ts';
import { mtv } from './mtv/definition.ts';
import { neochrome } from './neochrome/definition.ts';
import { nifti } from './nifti/definition.ts';
import { otb } from './otb/definition.ts';
import { palm } from './palm/definition.ts';
import { pam } from './pam/definition.ts';
import { pcd } from './pcd/definition.ts';
import { pcx } from './pcx/definition.ts';
import { pdb } from './pdb/definition.ts';
import { pdf } from './pdf/definition.ts';
import { pict } from './pict/definition.ts';
import { png } from './png/definition.ts';
import { pnm } from './pnm/definition.ts';
import { psd } from './psd/definition.ts';
import { qoi } from './qoi/definition.ts';
import { raw } from './raw/definition.ts';
import { rgf } from './rgf/definition.ts';
import { rla } from './rla/definition.ts';
import { sct } from './sct/definition.ts';
import { sfw } from './sfw/definition.ts';
import { sgi } from './sgi/definition.ts';
import { sixel } from './sixel/definition.ts';
import { spectrum512 } from './spectrum512/definition.ts';
import { sun } from './sun/definition.ts';
import { svg } from './svg/definition.ts';
import { tga } from './tga/definition.ts';
import { tiff } from './tiff/definition.ts';
import { tim } from './tim/definition.ts';
import { tiny } from './tiny/definition.ts';
import { urle } from './urle/definition.ts';
import { vicar } from './vicar/definition.ts';
import { viff } from './viff/definition.ts';
import { wal } from './wal/definition.ts';
import { wbmp } from './wbmp/definition.ts';
import { webp } from './webp/definition.ts';
import { wpg } from './wpg/definition.ts';
import { xbm } from './xbm/definition.ts';
import { xcf } from './xcf/definition.ts';
import { xpm } from './xpm/definition.ts';
import { xv } from './xv/definition.ts';
import { xwd } from './xwd/definition.ts';
import { zxscreen } from './zxscreen/definition.ts';

const DEFINITIONS = {
  // Web.
  jpeg,
  png,
  webp,
  avif,
  gif,
  svg,
  tiff,
  bmp,
  ico,
  jxl,
  heic,
  jp2,
  // Photographs.
  jls,
  hdr,
  exr,
  raw,
  // Documents and science.
  pdf,
  djvu,
  dicom,
  nifti,
  analyze,
  mgh,
  fits,
  vicar,
  // Editors.
  tga,
  psd,
  xcf,
  miff,
  // Film and games.
  dpx,
  cin,
  dds,
  wal,
  tim,
  // Exchange.
  pnm,
  pam,
  qoi,
  farbfeld,
  wbmp,
  otb,
  jng,
  mng,
  sixel,
  // Unix workstations.
  xbm,
  xpm,
  sun,
  xwd,
  urle,
  sgi,
  viff,
  mtv,
  rla,
  avs,
  xv,
  hrz,
  // Personal computers.
  pcx,
  dcx,
  msp,
  pict,
  macpaint,
  icns,
  cut,
  wpg,
  cals,
  sct,
  pcd,
  sfw,
  palm,
  pdb,
  rgf,
  aai,
  art,
  // Home computers.
  ilbm,
  degas,
  neochrome,
  spectrum512,
  tiny,
  koala,
  artstudio,
  doodle,
  zxscreen,
  msx,
  apple2,
  atari8,
} as const satisfies Record<string, Format>;

type Definitions = typeof DEFINITIONS;

export type FormatId = keyof Definitions;
export type InputFormat = FormatId;
export type OutputFormat = {
  [Id in FormatId]: Definitions[Id] extends { output: OutputTraits } ? Id : never;
}[FormatId];
/** The formats that ImageMagick decodes. */
export type MagickInput = {
  [Id in FormatId]: Definitions[Id] extends { magick: MagickCoder } ? Id : never;
}[FormatId];

export const FORMATS: Readonly<Record<FormatId, Format>> = DEFINITIONS;
export const INPUT_FORMATS = Object.keys(DEFINITIONS) as InputFormat[];

export const isOutput = (format: FormatId): format is OutputFormat => FORMATS[format].output !== undefined;

export const OUTPUT_FORMATS = INPUT_FORMATS.filter(isOutput) as [OutputFormat, ...OutputFormat[]];
export const OUTPUTS = Object.fromEntries(OUTPUT_FORMATS.map((id) => [id, FORMATS[id].output])) as Readonly<
  Record<OutputFormat, OutputTraits>
>;

/** Returns the declaration of a format by its stored name; undefined for any other text. */
export const findFormat = (name: string | null | undefined): Format | undefined =>
  typeof name === 'string' && Object.hasOwn(FORMATS, name) ? FORMATS[name as FormatId] : undefined;

/** The formats that at least one browser shows. */
export const WEB_FORMATS = INPUT_FORMATS.filter((id) => FORMATS[id].web);

/** The formats that this installation can read and write, as found by a worker. */
export interface AvailableFormats {
  read: readonly InputFormat[];
  write: readonly OutputFormat[];
}
