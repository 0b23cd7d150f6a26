/** Where the image was taken. */
import type { MetadataObject } from '../../../codecs/tags/plain.ts';
import { gpsTime } from './dates.ts';
import type { InspectionRecord } from './record.ts';
import { firstNumber, firstText, type TagSets } from './tags.ts';

type Gps = NonNullable<InspectionRecord['gps']>;

const MAX_DEGREES = { latitude: 90, longitude: 180 } as const;
const BELOW_SEA_LEVEL = [1, 3];

/** The position in EXIF, otherwise in XMP; null if neither has data. */
export function describeGps({ exif, xmp }: TagSets): InspectionRecord['gps'] {
  const recorded = exifGps(exif);
  if (recorded.latitude !== null && recorded.longitude !== null) return recorded;
  const copied = xmpGps(xmp);
  const best = copied.latitude !== null && copied.longitude !== null ? copied : recorded;
  return Object.values(best).some((value) => value !== null) ? best : null;
}

function exifGps(exif: MetadataObject): Gps {
  const side = (name: string, most: number, negative: string) => {
    const degrees = firstNumber(exif, name);
    if (degrees === undefined || degrees < 0 || degrees > most) return null;
    const away = firstText(exif, `${name}Ref`)?.toUpperCase().startsWith(negative);
    return degree(away ? -degrees : degrees);
  };
  return {
    latitude: side('GPSLatitude', MAX_DEGREES.latitude, 'S'),
    longitude: side('GPSLongitude', MAX_DEGREES.longitude, 'W'),
    altitude_m: altitude(firstNumber(exif, 'GPSAltitude'), firstNumber(exif, 'GPSAltitudeRef')),
    direction_deg: direction(firstNumber(exif, 'GPSImgDirection')),
    taken_at: gpsTime(firstText(exif, 'GPSDateStamp'), firstText(exif, 'GPSTimeStamp')),
  };
}

function xmpGps(xmp: MetadataObject): Gps {
  return {
    latitude: coordinate(firstText(xmp, 'exif:GPSLatitude', 'drone-dji:GpsLatitude'), MAX_DEGREES.latitude),
    longitude: coordinate(
      firstText(xmp, 'exif:GPSLongitude', 'drone-dji:GpsLongitude', 'drone-dji:GpsLongtitude'),
      MAX_DEGREES.longitude,
    ),
    altitude_m: altitude(firstNumber(xmp, 'exif:GPSAltitude'), firstNumber(xmp, 'exif:GPSAltitudeRef')),
    direction_deg: direction(firstNumber(xmp, 'exif:GPSImgDirection')),
    taken_at: gpsTime(firstText(xmp, 'exif:GPSTimeStamp'), undefined),
  };
}

/** `DDD,MM,SSk`, `DDD,MM.mmk` (XMP part 2, section 1.2.7.4), or plain degrees with a sign, as drones write. */
const COORDINATE =
  /^([+-]?[0-9]{1,3}(?:[.][0-9]+)?)(?:,([0-9]{1,2}(?:[.][0-9]+)?))?(?:,([0-9]{1,2}(?:[.][0-9]+)?))?\s*([NSEW])?$/i;

function coordinate(text: string | undefined, most: number): number | null {
  const [, degrees, minutes = '0', seconds = '0', side = ''] = COORDINATE.exec(text?.trim() ?? '') ?? [];
  if (degrees === undefined) return null;
  const size = Math.abs(Number(degrees)) + Number(minutes) / 60 + Number(seconds) / 3600;
  if (size > most) return null;
  return degree(/[SW]/i.test(side) || Number(degrees) < 0 ? -size : size);
}

const DIGITS = 8;

/** Rounds to about 1 mm on the ground, and avoids negative zero. */
const degree = (value: number): number => Number(value.toFixed(DIGITS)) + 0;

function altitude(metres: number | undefined, reference: number | undefined): number | null {
  if (metres === undefined) return null;
  const below = reference !== undefined && BELOW_SEA_LEVEL.includes(reference);
  return Number((below ? -Math.abs(metres) : metres).toFixed(3)) + 0;
}

const direction = (degrees: number | undefined): number | null =>
  degrees === undefined || degrees < 0 || degrees > 360 ? null : Number(degrees.toFixed(3));
