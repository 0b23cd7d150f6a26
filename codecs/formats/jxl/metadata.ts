/**
 * Metadata of JPEG XL files: EXIF and XMP boxes of the container (ISO/IEC 18181-2). The profile is part of the
 * codestream and comes from the encoder, so it is neither read nor written here.
 */
import { corruptImage } from '../../errors.ts';
import { bytesOf, concat, latin1, Reader, startsWith, uint32 } from '../../metadata/bytes.ts';
import { Unpacker } from '../../metadata/compression.ts';
import { collectUntilDamage } from '../../metadata/damage.ts';
import { type Box, box, boxesOf, contentOf, presentBoxes } from '../../metadata/isobmff.ts';
import type { Metadata } from '../../metadata/metadata.ts';

const CODESTREAM = '\xff\x0a';
const SIGNATURE = '\0\0\0\x0cJXL \r\n\x87\n';
const FILE_TYPE = box('ftyp', bytesOf('jxl '), uint32(0), bytesOf('jxl '));
/**
 * Level, frame index and codestream, whole or in parts. Data that restore a JPEG (jbrd) are not kept: they contain its
 * metadata.
 */
const IMAGE_BOXES: ReadonlySet<string> = new Set(['jxll', 'jxli', 'jxlc', 'jxlp']);
/** Bytes of the field in front of the EXIF stream that holds the offset of the TIFF header. */
const EXIF_OFFSET = 4;

export function read(bytes: Uint8Array): Metadata {
  return collectUntilDamage<Metadata>({}, (metadata) => {
    if (!startsWith(bytes, SIGNATURE)) return;
    const reader = new Reader(bytes, 'jxl');
    const unpacker = new Unpacker();
    for (const found of presentBoxes(reader)) {
      const { type, content } = unpacked(reader, found, unpacker);
      if (type === 'Exif') {
        const exif = content.slice(EXIF_OFFSET + new Reader(content, 'jxl').u32(0));
        if (exif.length > 0) metadata.exif ??= exif;
      } else if (type === 'xml ' && content.length > 0) metadata.xmp ??= content.slice();
    }
  });
}

/** Returns the box, or the one that is compressed inside it. */
function unpacked(reader: Reader, found: Box, unpacker: Unpacker): { type: string; content: Uint8Array } {
  const content = contentOf(reader, found);
  if (found.type !== 'brob') return { type: found.type, content };
  const type = latin1(content.subarray(0, 4));
  if (type !== 'Exif' && type !== 'xml ') return { type: found.type, content };
  return { type, content: unpacker.unbrotli(content.subarray(4)) ?? new Uint8Array(0) };
}

/**
 * Replaces EXIF and XMP; the container holds no ICC, IPTC or density. A bare codestream gets a container only when
 * there is metadata to store.
 * @throws Failure `corrupt_image`
 */
export function write(bytes: Uint8Array, { exif, xmp }: Metadata): Uint8Array {
  const metadata = [...(exif ? [box('Exif', uint32(0), exif)] : []), ...(xmp ? [box('xml ', xmp)] : [])];
  const image = imageBoxes(bytes);
  const [only] = image;
  if (metadata.length === 0 && image.length === 1 && only?.type === 'jxlc') return only.content.slice();
  return concat([bytesOf(SIGNATURE), FILE_TYPE, ...metadata, ...image.map(({ type, content }) => box(type, content))]);
}

function imageBoxes(bytes: Uint8Array): { type: string; content: Uint8Array }[] {
  if (startsWith(bytes, CODESTREAM)) return [{ type: 'jxlc', content: bytes }];
  if (!startsWith(bytes, SIGNATURE)) throw corruptImage('jxl', 'no signature');
  const reader = new Reader(bytes, 'jxl');
  return boxesOf(reader, 0, bytes.length)
    .filter(({ type }) => IMAGE_BOXES.has(type))
    .map((found) => ({ type: found.type, content: contentOf(reader, found) }));
}
