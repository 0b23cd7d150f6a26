/**
 * Resolves a request for an ID photo: its parameters, then those of its preset, then the defaults. Main-thread safe.
 */

import { invalidParameter } from '../../../base/failure.ts';
import type { Size } from '../../../base/geometry.ts';
import { toPixels } from '../../steps/print.ts';
import { conflictingParameters, photoPresetNotFound } from '../errors.ts';
import { type IdPhotoParams, PHOTO_DEFAULTS } from './params.ts';
import { type PhotoFormat, PRESETS, type Preset } from './presets.ts';
import { planSheet, SHEET_INCHES, type SheetPlan } from './sheet.ts';

export interface Photo {
  /** Exact size in pixels. */
  size: Size;
  /** Recorded in the file, in dots per inch. */
  dpi: number;
  format: PhotoFormat;
  /** Limits of the file size; undefined if there is none. */
  minBytes: number | undefined;
  maxBytes: number | undefined;
  /** `#rrggbb` */
  background: string;
  sheet: SheetPlan | undefined;
  preset: Preset | undefined;
}

/** @throws Failure 400 `conflicting_parameters` or `invalid_parameter`, 404 `preset_not_found` */
export function resolvePhoto(params: IdPhotoParams): Photo {
  checkPairs(params);
  const preset = params.preset === undefined ? undefined : presetOf(params.preset);
  const dpi = params.dpi ?? preset?.dpi ?? PHOTO_DEFAULTS.dpi;
  const size = sizeOf(params, preset, dpi);
  return {
    size,
    dpi,
    format: params.format ?? preset?.format ?? PHOTO_DEFAULTS.format,
    ...byteRange(params, preset),
    background: params.background ?? preset?.background ?? PHOTO_DEFAULTS.background,
    sheet: params.sheet ? sheetOf(size, dpi) : undefined,
    preset,
  };
}

const PAIRS = [
  ['width_mm', 'height_mm'],
  ['width', 'height'],
] as const;

/** Checks parameters that belong together and that exclude each other. */
function checkPairs(params: IdPhotoParams): void {
  for (const pair of PAIRS) {
    const [missing] = pair.filter((name) => params[name] === undefined);
    const given = pair.find((name) => params[name] !== undefined);
    if (missing && given)
      throw conflictingParameters(missing, `Expected ${missing} together with ${given} but received only ${given}.`);
  }
  if (params.width !== undefined && params.width_mm !== undefined) {
    throw conflictingParameters(
      'width_mm',
      'Expected a size in millimetres or in pixels for width_mm but received both.',
    );
  }
  if (params.crop !== undefined && params.align !== 'none') {
    throw conflictingParameters('align', 'Expected either crop or align=face for align but received both.');
  }
}

function presetOf(id: string): Preset {
  const preset = PRESETS.get(id);
  if (!preset) throw photoPresetNotFound(id);
  return preset;
}

/**
 * If the resolution differs from the preset's, pixels are computed from its millimetres. A preset without millimetres
 * keeps its pixels.
 */
function sizeOf({ width, height, width_mm, height_mm }: IdPhotoParams, preset: Preset | undefined, dpi: number): Size {
  if (width !== undefined && height !== undefined) return { width, height };
  if (width_mm !== undefined && height_mm !== undefined) return printed(width_mm, height_mm, dpi);
  if (!preset) throw invalidParameter('a preset, or a size in millimetres or pixels', 'preset', undefined);
  if (dpi === preset.dpi || preset.width_mm === null || preset.height_mm === null) {
    return { width: preset.width, height: preset.height };
  }
  return printed(preset.width_mm, preset.height_mm, dpi);
}

const printed = (width: number, height: number, dpi: number): Size => ({
  width: toPixels(width, dpi),
  height: toPixels(height, dpi),
});

function byteRange(params: IdPhotoParams, preset: Preset | undefined): Pick<Photo, 'minBytes' | 'maxBytes'> {
  const minBytes = params.min_bytes ?? preset?.min_bytes ?? undefined;
  const maxBytes = params.max_bytes ?? preset?.max_bytes ?? undefined;
  if (minBytes === undefined || maxBytes === undefined || minBytes <= maxBytes) return { minBytes, maxBytes };
  // Name the parameter of the request, not of its preset.
  throw params.min_bytes === undefined
    ? conflictingParameters(
        'max_bytes',
        `Expected at least the ${minBytes} bytes of the preset for max_bytes but received ${maxBytes}.`,
      )
    : conflictingParameters(
        'min_bytes',
        `Expected at most max_bytes (${maxBytes}) for min_bytes but received ${minBytes}.`,
      );
}

function sheetOf(photo: Size, dpi: number): SheetPlan {
  const sheet = planSheet(photo, dpi);
  if (sheet) return sheet;
  const { short, long } = SHEET_INCHES;
  throw invalidParameter(
    `a photo of at most ${short} x ${long} inch`,
    'sheet',
    `${photo.width} x ${photo.height} pixels at ${dpi} dpi`,
  );
}
