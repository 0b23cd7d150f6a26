/** Metadata of JPEG 2000 files: the boxes of JP2 and JPX (ISO/IEC 15444-1, annex I; 15444-2, annex M). */
import { bufferOf, Reader, startsWith } from './bytes.ts';
import { collectUntilDamage } from './damage.ts';
import { bareIptc } from './iptc.ts';
import { type Box, boxesOf, contentOf, presentBoxes } from './isobmff.ts';
import type { Density, Metadata } from './metadata.ts';

const SIGNATURE = '\0\0\0\x0cjP  ';
const UUID_BYTES = 16;
/** The content of `uuid` boxes by their identifiers, which Adobe and the JPEG committee assigned. */
const UUIDS: Readonly<Record<string, 'xmp' | 'exif' | 'iptc'>> = {
  be7acfcb97a942e89c71999491e3afac: 'xmp',
  '4a706754696666457869662d3e4a5032': 'exif',
  '33c7a4d2b81d4723a0baf1a3e097ad38': 'iptc',
};
const RESTRICTED_ICC = 2;
const ANY_ICC = 3;
const METRES_PER_INCH = 0.0254;

/** Returns the boxes of the file, or none for a bare codestream. Never throws. */
export const fileBoxes = (reader: Reader): Box[] => (startsWith(reader.bytes, SIGNATURE) ? presentBoxes(reader) : []);

/** Returns the boxes inside the image header. @throws Failure `corrupt_image` */
export function headerBoxes(reader: Reader, boxes: readonly Box[]): Box[] {
  const header = boxes.find(({ type }) => type === 'jp2h');
  return header ? boxesOf(reader, header.contentStart, header.end) : [];
}

/** Never throws. */
export function read(bytes: Uint8Array): Metadata {
  return collectUntilDamage<Metadata>({}, (metadata) => {
    const reader = new Reader(bytes, 'jp2');
    const boxes = fileBoxes(reader);
    for (const box of headerBoxes(reader, boxes)) readHeaderBox(reader, box, metadata);
    for (const box of boxes) {
      const content = contentOf(reader, box);
      // An XML box has no identifier, so its content shows whether it is an XMP packet.
      if (box.type === 'xml ' && bufferOf(content).includes('rdf:RDF')) metadata.xmp ??= content.slice();
      if (box.type === 'uuid' && content.length > UUID_BYTES) readUuid(content, metadata);
    }
  });
}

function readUuid(content: Uint8Array, metadata: Metadata): void {
  const data = content.slice(UUID_BYTES);
  const kind = UUIDS[bufferOf(content).toString('hex', 0, UUID_BYTES)];
  if (kind === 'iptc') {
    const iptc = bareIptc(data);
    if (iptc) metadata.iptc ??= iptc;
  } else if (kind) metadata[kind] ??= data;
}

function readHeaderBox(reader: Reader, box: Box, metadata: Metadata): void {
  if (box.type === 'colr') {
    const method = reader.u8(box.contentStart);
    if (method === RESTRICTED_ICC || method === ANY_ICC) metadata.icc ??= contentOf(reader, box).slice(3);
  } else if (box.type === 'res ') {
    const inner = boxesOf(reader, box.contentStart, box.end);
    const found = inner.find(({ type }) => type === 'resd') ?? inner.find(({ type }) => type === 'resc');
    const density = found && densityOf(reader, found);
    if (density) metadata.density ??= density;
  }
}

/** Reads pixels per metre: numerators and denominators, vertical first, then the exponents of ten. */
function densityOf(reader: Reader, { contentStart: at }: Box): Density | undefined {
  const signed = (value: number) => (value > 127 ? value - 256 : value);
  const perMetre = (fraction: number, exponent: number) =>
    (reader.u16(at + fraction) / reader.u16(at + fraction + 2)) * 10 ** signed(reader.u8(at + exponent));
  const density = { x: perMetre(4, 9) * METRES_PER_INCH, y: perMetre(0, 8) * METRES_PER_INCH };
  return Number.isFinite(density.x) && Number.isFinite(density.y) && density.x > 0 && density.y > 0
    ? density
    : undefined;
}
