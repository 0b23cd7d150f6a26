/** Facts of camera raws. */

import type { FileFacts } from '../../facts/facts.ts';
import { jpegFacts } from '../../facts/jpeg.ts';
import { frameOfJpeg } from '../../facts/jpeg-frame.ts';
import { rawTiffFacts, storedAs } from '../../facts/tiff.ts';
import type { TiffStream } from '../../metadata/directory.ts';
import { type ExifSections, type Section, sectionAt } from '../../tags/exif-tags.ts';
import { type CanonParts, openRaw, read } from './metadata.ts';

export function rawFacts(bytes: Uint8Array): FileFacts {
  const blocks = read(bytes);
  const content = openRaw(bytes);
  if (!content) return { blocks };
  if ('tiff' in content) return { blocks, ...rawTiffFacts(content.tiff) };
  if ('canon' in content) return { blocks, ...canonFacts(content.canon) };
  // The JPEG's facts about the shot apply to the raw; those about its coding do not.
  const { preview, c2pa } = jpegFacts(content.jpeg);
  return {
    blocks,
    colour: { model: 'rgb', channels: 3, hdr: false },
    ...(preview ? { preview } : {}),
    c2pa: c2pa ?? false,
  };
}

function canonFacts({ main, exif, makerNote, gps, thumbnail }: CanonParts): Omit<FileFacts, 'blocks'> {
  const section = (stream: TiffStream | undefined): Section | undefined => stream && sectionAt(stream, stream.first);
  const [first, second, third] = [section(main), section(exif), section(gps)];
  const sections: ExifSections = {
    ...(first ? { main: first } : {}),
    ...(second ? { exif: second } : {}),
    ...(third ? { gps: third } : {}),
    // The directory of the maker note and its offsets start where the stream starts.
    ...(makerNote
      ? { makerNote: { stream: makerNote, at: makerNote.first, length: makerNote.reader.length - makerNote.first } }
      : {}),
  };
  const size = thumbnail && frameOfJpeg(thumbnail);
  return {
    exif: sections,
    ...(first ? { stored: storedAs(first, first) } : {}),
    colour: { model: 'rgb', channels: 3, hdr: false },
    ...(thumbnail && size
      ? { preview: { width: size.width, height: size.height, bytes: thumbnail.length, format: 'jpeg' } }
      : {}),
  };
}
