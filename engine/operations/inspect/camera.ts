/** The camera that took the image, and its settings. */
import type { InspectionRecord } from './record.ts';
import { firstNumber, firstText, makerNote, type TagSets } from './tags.ts';

/** The largest sensitivity that fits into the two bytes of its EXIF tag. The real value is then in another tag. */
const SENSITIVITY_OVERFLOW = 65_535;

/** Null if the file has no camera data. */
export function describeCamera(tags: TagSets): InspectionRecord['camera'] {
  const { exif, xmp } = tags;
  const notes = makerNote(tags);
  const exposure = firstNumber(exif, 'ExposureTime') ?? firstNumber(xmp, 'exif:ExposureTime');
  const camera = {
    make: firstText(exif, 'Make') ?? firstText(xmp, 'tiff:Make') ?? null,
    model: firstText(exif, 'Model', 'UniqueCameraModel') ?? firstText(xmp, 'tiff:Model') ?? null,
    lens:
      firstText(exif, 'LensModel') ??
      firstText(notes, 'LensModel', 'LensType', 'Lens') ??
      firstText(xmp, 'exifEX:LensModel', 'aux:Lens') ??
      null,
    exposure_time: exposure === undefined || exposure <= 0 ? null : formatExposure(exposure),
    f_number: rounded(firstNumber(exif, 'FNumber', 'ApertureValue') ?? firstNumber(xmp, 'exif:FNumber'), 2),
    iso: sensitivity(tags) ?? null,
    focal_length_mm: rounded(firstNumber(exif, 'FocalLength') ?? firstNumber(xmp, 'exif:FocalLength'), 2),
  };
  return Object.values(camera).some((value) => value !== null) ? camera : null;
}

function sensitivity({ exif, xmp }: TagSets): number | undefined {
  const iso = firstNumber(exif, 'ISO');
  if (iso !== undefined && iso !== SENSITIVITY_OVERFLOW && iso > 0) return iso;
  const more = firstNumber(exif, 'RecommendedExposureIndex', 'StandardOutputSensitivity', 'ISOSpeed');
  return more ?? firstNumber(xmp, 'exif:ISOSpeedRatings', 'exifEX:PhotographicSensitivity') ?? (iso || undefined);
}

/** Longer times are written as seconds, shorter ones as a fraction, as on cameras. */
const MAX_FRACTION_SECONDS = 0.25;

function formatExposure(seconds: number): string {
  if (seconds <= MAX_FRACTION_SECONDS + 1e-5) return `1/${Math.round(1 / seconds)}`;
  return String(Number(seconds.toFixed(1)));
}

const rounded = (value: number | undefined, digits: number): number | null =>
  value === undefined || value <= 0 ? null : Number(value.toFixed(digits));
