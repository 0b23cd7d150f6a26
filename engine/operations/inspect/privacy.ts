/** Personal data in a file that a publisher may want to remove. */
import type { InspectionRecord } from './record.ts';
import { hasAny, makerNote, type TagSets } from './tags.ts';

type Concern = InspectionRecord['privacy'][number];

export function privacyConcerns(
  tags: TagSets,
  { gps, thumbnail }: Pick<InspectionRecord, 'gps' | 'thumbnail'>,
): Concern[] {
  const { exif, iptc, xmp, pngText } = tags;
  const notes = makerNote(tags);
  const concerns: Record<Concern, boolean> = {
    gps: gps !== null && (gps.latitude !== null || gps.longitude !== null),
    serial_number:
      hasAny(exif, 'SerialNumber', 'CameraSerialNumber', 'LensSerialNumber') ||
      hasAny(notes, 'SerialNumber', 'InternalSerialNumber', 'LensSerialNumber') ||
      hasAny(xmp, 'aux:SerialNumber', 'aux:LensSerialNumber', 'exifEX:BodySerialNumber', 'exifEX:LensSerialNumber'),
    owner_name:
      hasAny(exif, 'OwnerName', 'Artist', 'XPAuthor', 'Photographer') ||
      hasAny(notes, 'OwnerName') ||
      hasAny(xmp, 'aux:OwnerName', 'exifEX:CameraOwnerName', 'dc:creator', 'tiff:Artist') ||
      hasAny(iptc, 'By-line') ||
      hasAny(pngText, 'Author', 'Artist'),
    thumbnail: thumbnail !== null,
    software:
      hasAny(exif, 'Software', 'ProcessingSoftware', 'HostComputer', 'ImageEditingSoftware', 'RAWDevelopingSoftware') ||
      hasAny(xmp, 'xmp:CreatorTool', 'tiff:Software') ||
      hasAny(iptc, 'OriginatingProgram') ||
      hasAny(pngText, 'Software'),
    face_regions: hasAny(xmp, 'mwg-rs:Regions', 'MP:RegionInfo', 'apple-fi:Regions', 'Iptc4xmpExt:PersonInImage'),
  };
  return (Object.keys(concerns) as Concern[]).filter((concern) => concerns[concern]);
}
