/** When the image was taken. Files store the time in several forms. */
import { firstText, type TagSets } from './tags.ts';

/** EXIF separates everything by colons, XMP and ISO 8601 separate dates by hyphens. Parts may be missing at the end. */
const DATE =
  /^(\d{4})[:/-](\d{2})[:/-](\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2})(?:[.](\d{1,9})\d*)?)?)?\s*(Z|[+-]\d{2}:?\d{2})?$/;
const OFFSET = /^([+-]\d{2}):?(\d{2})$/;

interface Moment {
  date: string;
  /** With fractions of a second; undefined if only the day is known. */
  time: string | undefined;
  zone: string;
}

function parse(text: string | undefined): Moment | undefined {
  const [, year, month, day, hour, minute, second = '00', fraction, zone] = DATE.exec(text?.trim() ?? '') ?? [];
  if (year === undefined || !isDay(year, month!, day!)) return undefined;
  const date = `${year}-${month}-${day}`;
  if (hour === undefined) return { date, time: undefined, zone: '' };
  // Second 60 is a leap second.
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  const time = `${hour}:${minute}:${second}${fraction === undefined ? '' : `.${fraction}`}`;
  return { date, time, zone: normalisedZone(zone) };
}

const isDay = (year: string, month: string, day: string): boolean =>
  Number(year) > 0 && Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31;

function normalisedZone(zone: string | undefined): string {
  const [, hours, minutes] = OFFSET.exec(zone ?? '') ?? [];
  return hours === undefined ? (zone ?? '') : `${hours}:${minutes}`;
}

function format(moment: Moment | undefined): string | undefined {
  if (!moment) return undefined;
  return moment.time === undefined ? moment.date : `${moment.date}T${moment.time}${moment.zone}`;
}

/** Parses a time of EXIF, which has its fractions of a second and zone in separate tags. */
function exifDate(text: string | undefined, fraction: string | undefined, zone: string | undefined) {
  const moment = parse(text);
  if (!moment?.time) return format(moment);
  const digits = /^\d{1,9}$/.exec(fraction?.trim() ?? '')?.[0];
  const time = digits !== undefined && !moment.time.includes('.') ? `${moment.time}.${digits}` : moment.time;
  return format({ ...moment, time, zone: moment.zone || normalisedZone(OFFSET.exec(zone?.trim() ?? '')?.[0]) });
}

/** IPTC: CCYYMMDD, and HHMMSS with an offset. */
function iptcDate(date: string | undefined, time: string | undefined): string | undefined {
  const day = date?.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
  const clock = time?.replace(/^(\d{2})(\d{2})(\d{2})/, '$1:$2:$3') ?? '';
  return format(parse(clock === '' ? day : `${day}T${clock}`) ?? parse(day));
}

/**
 * The time of the exposure, otherwise of the digitisation, which is the same for a camera. EXIF first, because programs
 * that write the other blocks mostly copy it. Without a zone if the file has none.
 */
export function takenAt({ exif, iptc, xmp }: TagSets): string | null {
  const dates = [
    () =>
      exifDate(
        firstText(exif, 'DateTimeOriginal'),
        // Some editors move only the fraction to XMP.
        firstText(exif, 'SubSecTimeOriginal') ?? firstText(xmp, 'exif:SubSecTimeOriginal'),
        firstText(exif, 'OffsetTimeOriginal'),
      ),
    () => format(parse(firstText(xmp, 'exif:DateTimeOriginal'))),
    () => format(parse(firstText(xmp, 'photoshop:DateCreated'))),
    () => iptcDate(firstText(iptc, 'DateCreated'), firstText(iptc, 'TimeCreated')),
    () =>
      exifDate(
        firstText(exif, 'CreateDate'),
        firstText(exif, 'SubSecTimeDigitized'),
        firstText(exif, 'OffsetTimeDigitized'),
      ),
  ];
  for (const date of dates) {
    const found = date();
    if (found !== undefined) return found;
  }
  return null;
}

/** GPS time from a date and a time, or from both in one text. Null unless both are known. */
export function gpsTime(date: string | undefined, time: string | undefined): string | null {
  const both = time === undefined ? date : `${date ?? ''}T${time}`;
  const moment = parse(both);
  return moment?.time === undefined ? null : (format({ ...moment, zone: 'Z' }) ?? null);
}
