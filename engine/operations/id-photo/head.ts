/** Plans the area of a photo around a head: its size, the height of its eyes, and a rotation that levels them. */
import type { Box, Point, Size } from '../../../base/geometry.ts';
import type { Face } from '../../../models/faces.ts';
import { MM_PER_INCH } from '../../steps/print.ts';
import type { Photo } from './photo.ts';

export interface Range {
  min: number;
  max: number;
}

/** Height of the head, chin to crown, as a share of the photo: ICAO Doc 9303, part 3, "Portrait". */
const ICAO_HEAD: Range = { min: 0.7, max: 0.8 };
/** Height of the eyes above the lower edge, as a share of the photo: the lower half of the 50 to 70% of ISO/IEC 19794-5. */
const EYES: Range = { min: 0.5, max: 0.6 };
/** Also inside the 28 to 35 mm of 51 that the United States ask for, and leaves 2 to 6 mm above the head at 34 of 45. */
const EYES_AIM = 0.56;
/** Distance of the face from the middle, as a share of the width (ISO/IEC 19794-5, 45 to 55%). */
const MAX_SHIFT = 0.05;

/**
 * The crown is the top of the skull, not of the hair, and no model shows it. The eyes are halfway between chin and crown:
 * the two-section canon (Farkas and others, "Vertical and horizontal proportions of the face in young adult North American
 * Caucasians", 1985).
 */
const HEAD_PER_EYES_TO_CHIN = 2;

/**
 * ISO/IEC 19794-5 allows 5 degrees. The model measures with an error of about 3: on a photo rotated in steps from -14 to 9
 * degrees it was off by 0.5 to 3.5. So levelling a smaller slope could make it larger. In degrees.
 */
const MIN_SLOPE = 5;
/** With a larger slope the head is not upright, or the eyes were not found well. In degrees. */
const MAX_SLOPE = 15;

/** Where a head is, in pixels of the image. */
export interface Head {
  /** The middle between the eyes. */
  eyes: Point;
  /** Chin to crown. */
  height: number;
  /** Slope of the line through the eyes, in degrees; positive if the right one is lower. */
  slope: number;
}

export interface Alignment {
  /** Rotation around the middle between the eyes before the crop, in degrees clockwise. */
  degrees: number;
  /** The area of the photo in the rotated image, inside it. */
  crop: Box;
  /** Share of the head in the height of the photo. */
  head: number;
  /** Height of the eyes above the lower edge, as a share of the photo. */
  eyes: number;
  /** Whether head and eyes are where the photo needs them. */
  isInRange: boolean;
}

/** The head range of the preset for this height, or that of ICAO. */
export function headRange({ size, dpi, preset }: Pick<Photo, 'size' | 'dpi' | 'preset'>): Range {
  const millimetres = (size.height / dpi) * MM_PER_INCH;
  if (!preset?.head_min_mm || !preset.head_max_mm || preset.head_max_mm >= millimetres) return ICAO_HEAD;
  return { min: preset.head_min_mm / millimetres, max: preset.head_max_mm / millimetres };
}

/** The box of a face ends at the chin. */
export function headOf({ y, height, landmarks }: Face): Head {
  const [left, right] = landmarks.eyes;
  const eyes = { x: (left.x + right.x) / 2, y: (left.y + right.y) / 2 };
  const slope = Math.atan2(right.y - left.y, right.x - left.x);
  const toChin = (y + height - eyes.y) / Math.cos(slope);
  return { eyes, height: toChin * HEAD_PER_EYES_TO_CHIN, slope: (slope * 180) / Math.PI };
}

export const isTooSloped = ({ slope }: Head): boolean => Math.abs(slope) > MAX_SLOPE;

/** Places the photo: level, with the head at the middle of its range, or as near to that as the image has room for. */
export function alignHead(image: Size, head: Head, photo: Pick<Photo, 'size' | 'dpi' | 'preset'>): Alignment {
  const heads = headRange(photo);
  const isLevel = Math.abs(head.slope) < MIN_SLOPE || isTooSloped(head);
  for (const degrees of isLevel ? [0] : [-head.slope, 0]) {
    for (const place of PLACES) {
      const share = heads.min + place.head * (heads.max - heads.min);
      const area = areaAround(head, photo.size, { ...place, head: share });
      if (fits(area, image, head.eyes, degrees))
        return { degrees, crop: wholePixels(area, image), head: share, eyes: place.eyes, isInRange: true };
    }
  }
  return nearest(image, head, photo.size, heads.max);
}

/** Shares of the photo: the head, from 0 for the least of its range to 1; the eyes; the distance from the middle. */
interface Place {
  head: number;
  eyes: number;
  shift: number;
}

const steps = ({ min, max }: Range, count: number): number[] =>
  Array.from({ length: count + 1 }, (_, at) => min + (at * (max - min)) / count);

/** The allowed places, the best first. */
const PLACES: readonly Place[] = steps({ min: 0, max: 1 }, 10)
  .flatMap((head) => steps(EYES, 10).map((eyes) => ({ head, eyes })))
  .flatMap((place) => steps({ min: -MAX_SHIFT, max: MAX_SHIFT }, 4).map((shift) => ({ ...place, shift })))
  .toSorted((one, other) => deviation(one) - deviation(other));

function deviation({ head, eyes, shift }: Place): number {
  return Math.hypot(2 * head - 1, (eyes - EYES_AIM) / (EYES_AIM - EYES.min), shift / MAX_SHIFT);
}

/** Not in whole pixels. */
function areaAround({ eyes, height: headHeight }: Head, photo: Size, place: Place): Box {
  const height = headHeight / place.head;
  const width = (height * photo.width) / photo.height;
  return { x: eyes.x - width * (0.5 + place.shift), y: eyes.y - height * (1 - place.eyes), width, height };
}

/** Whether every corner of an area of the rotated image was in the image. */
function fits({ x, y, width, height }: Box, image: Size, centre: Point, degrees: number): boolean {
  const angle = (-degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const inImage = (across: number, down: number) => {
    const [dx, dy] = [across - centre.x, down - centre.y];
    const [left, top] = [centre.x + dx * cos - dy * sin, centre.y + dx * sin + dy * cos];
    return left >= 0 && top >= 0 && left <= image.width && top <= image.height;
  };
  const isInside = x >= 0 && y >= 0 && x + width <= image.width && y + height <= image.height;
  return isInside && [x, x + width].every((across) => inImage(across, y) && inImage(across, y + height));
}

/** The area with the largest head that is allowed, moved into the image, or the largest area that it has. */
function nearest(image: Size, head: Head, photo: Size, share: number): Alignment {
  const wanted = areaAround(head, photo, { head: share, eyes: EYES_AIM, shift: 0 });
  const scale = Math.min(1, image.width / wanted.width, image.height / wanted.height);
  const [width, height] = [wanted.width * scale, wanted.height * scale];
  const within = (start: number, end: number) => Math.max(0, Math.min(start, end));
  const crop = wholePixels(
    {
      x: within(head.eyes.x - width / 2, image.width - width),
      y: within(head.eyes.y - height * (1 - EYES_AIM), image.height - height),
      ...{ width, height },
    },
    image,
  );
  const eyes = (crop.y + crop.height - head.eyes.y) / crop.height;
  return { degrees: 0, crop, head: head.height / crop.height, eyes, isInRange: false };
}

function wholePixels({ x, y, width, height }: Box, image: Size): Box {
  const sides = {
    width: Math.max(1, Math.min(image.width, Math.round(width))),
    height: Math.max(1, Math.min(image.height, Math.round(height))),
  };
  const within = (start: number, end: number) => Math.max(0, Math.min(Math.round(start), end));
  return { x: within(x, image.width - sides.width), y: within(y, image.height - sides.height), ...sides };
}
