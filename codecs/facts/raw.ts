/** The facts of camera raws. */
import type { TiffStream } from '../metadata/directory.ts';
import { type CanonParts, openRaw, read } from '../metadata/raw.ts';
import { type ExifSections, type Section, sectionAt } from '../tags/exif-tags.ts';
import type { FileFacts } from './facts.ts';
import { jpegFacts } from './jpeg.ts';
import { jpegSize } from './jpeg-frame.ts';
import { rawTiffFacts, storedAs } from './tiff.ts';

export function rawFacts(bytes: Uint8Array): FileFacts {
  const blocks = read(bytes);
  const content = openRaw(bytes);
  if (!content) return { blocks };
  if ('tiff' in content) return { blocks, ...rawTiffFacts(content.tiff) };
  if ('canon' in content) return { blocks, ...canonFacts(content.canon) };
  // What the JPEG says of the shot is true of the raw; how it is coded is not.
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
    // Their directory starts where that of the stream does, and so do its offsets.
    ...(makerNote
      ? { makerNote: { stream: makerNote, at: makerNote.first, length: makerNote.reader.length - makerNote.first } }
      : {}),
  };
  const size = thumbnail && jpegSize(thumbnail);
  return {
    exif: sections,
    ...(first ? { stored: storedAs(first, first) } : {}),
    colour: { model: 'rgb', channels: 3, hdr: false },
    ...(thumbnail && size
      ? { preview: { width: size.width, height: size.height, bytes: thumbnail.length, format: 'jpeg' } }
      : {}),
  };
}
