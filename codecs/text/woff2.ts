/** Reads WOFF 2.0 files, the form in which packages ship fonts (W3C Recommendation "WOFF File Format 2.0"). */
import { brotliDecompressSync } from 'node:zlib';

/** The tables of a font by their tags. */
export type FontTables = Map<string, Buffer>;

/** Tags by their number in the table directory (section 4.1). Number 63 announces a tag that is written out. */
const KNOWN_TAGS = (
  'cmap,head,hhea,hmtx,maxp,name,OS/2,post,cvt ,fpgm,glyf,loca,prep,CFF ,VORG,EBDT,EBLC,gasp,hdmx,kern,LTSH,PCLT,VDMX,' +
  'vhea,vmtx,BASE,GDEF,GPOS,GSUB,EBSC,JSTF,MATH,CBDT,CBLC,COLR,CPAL,SVG ,sbix,acnt,avar,bdat,bloc,bsln,cvar,fdsc,feat,' +
  'fmtx,fvar,gvar,hsty,just,lcar,mort,morx,opbd,prop,trak,Zapf,Silf,Glat,Gloc,Feat,Sill'
).split(',');
const WRITTEN_TAG = 63;
const HEADER_BYTES = 48;

/** Reads numbers one after the other; all are big-endian. */
class ByteStream {
  position: number;
  readonly bytes: Buffer;

  constructor(bytes: Buffer, position = 0) {
    this.bytes = bytes;
    this.position = position;
  }

  u8(): number {
    return this.bytes[this.position++]!;
  }

  u16(): number {
    return (this.u8() << 8) | this.u8();
  }

  i16(): number {
    return (this.u16() << 16) >> 16;
  }

  u32(): number {
    return this.u16() * 65_536 + this.u16();
  }

  take(length: number): Buffer {
    this.position += length;
    return this.bytes.subarray(this.position - length, this.position);
  }

  /** UIntBase128: seven bits per byte, the first bit says that another byte follows. */
  base128(): number {
    let value = 0;
    for (;;) {
      const byte = this.u8();
      value = value * 128 + (byte & 127);
      if (byte < 128) return value;
    }
  }

  /** 255UInt16: 0 to 252 in one byte, three codes for larger numbers. */
  u16Of255(): number {
    const code = this.u8();
    if (code === 253) return this.u16();
    if (code === 254) return 506 + this.u8();
    return code === 255 ? 253 + this.u8() : code;
  }
}

/**
 * Reads the tables of a WOFF 2.0 file with one font, with `glyf` and `loca` in the form of OpenType.
 * @throws Error if another table is transformed
 */
export function readWoff2(file: Buffer): FontTables {
  const stream = new ByteStream(file, 12);
  const count = stream.u16();
  stream.position = 20;
  const compressedBytes = stream.u32();
  stream.position = HEADER_BYTES;
  const entries = Array.from({ length: count }, () => readEntry(stream));
  const data = new ByteStream(brotliDecompressSync(stream.take(compressedBytes)));
  const tables: FontTables = new Map(entries.map(({ tag, bytes }) => [tag, data.take(bytes)]));
  const transformed = entries.filter(({ isTransformed }) => isTransformed).map(({ tag }) => tag);
  // The third table that can be transformed, `hmtx`, is in none of the packages.
  if (transformed.some((tag) => tag !== 'glyf' && tag !== 'loca')) throw new Error(`transformed: ${transformed}`);
  if (transformed.length > 0) {
    const { glyf, loca } = restoreGlyphs(new ByteStream(tables.get('glyf')!));
    tables.set('glyf', glyf).set('loca', loca);
    const head = Buffer.from(tables.get('head')!);
    head.writeInt16BE(1, 50); // indexToLocFormat: `loca` is written with 32 bits.
    tables.set('head', head);
  }
  return tables;
}

function readEntry(stream: ByteStream): { tag: string; bytes: number; isTransformed: boolean } {
  const flags = stream.u8();
  const number = flags & 63;
  const tag = number === WRITTEN_TAG ? stream.take(4).toString('latin1') : KNOWN_TAGS[number]!;
  // `glyf` and `loca` are transformed unless their version is 3, all others are if theirs is not 0.
  const version = flags >> 6;
  const isTransformed = tag === 'glyf' || tag === 'loca' ? version !== 3 : version !== 0;
  const bytes = stream.base128();
  return { tag, bytes: isTransformed ? stream.base128() : bytes, isTransformed };
}

/** The streams of a transformed `glyf` table (section 5.1). */
interface GlyphStreams {
  contours: ByteStream;
  points: ByteStream;
  flags: ByteStream;
  glyphs: ByteStream;
  composites: ByteStream;
  /** One bit per glyph: whether its box is written out. */
  boxBits: Buffer;
  boxes: ByteStream;
  instructions: ByteStream;
  /** One bit per glyph: whether its contours overlap. */
  overlapBits: Buffer | undefined;
}

const hasBit = (bits: Buffer | undefined, index: number): boolean =>
  bits !== undefined && (bits[index >> 3]! & (128 >> (index & 7))) !== 0;

function restoreGlyphs(stream: ByteStream): { glyf: Buffer; loca: Buffer } {
  stream.u16();
  const hasOverlaps = (stream.u16() & 1) !== 0;
  const count = stream.u16();
  stream.u16();
  const [contours, points, flags, glyphs, composites, boxes, instructions] = Array.from({ length: 7 }, () =>
    stream.u32(),
  ).map((bytes) => new ByteStream(stream.take(bytes))) as [
    ByteStream,
    ByteStream,
    ByteStream,
    ByteStream,
    ByteStream,
    ByteStream,
    ByteStream,
  ];
  const boxBits = boxes.take(((count + 31) >> 5) << 2);
  const overlapBits = hasOverlaps ? stream.take((count + 7) >> 3) : undefined;
  const streams = { contours, points, flags, glyphs, composites, boxBits, boxes, instructions, overlapBits };
  const written = Array.from({ length: count }, (_, glyph) => restoreGlyph(streams, glyph));
  const loca = Buffer.alloc((count + 1) * 4);
  let end = 0;
  for (const [index, glyph] of written.entries()) {
    end += glyph.length;
    loca.writeUInt32BE(end, (index + 1) * 4);
  }
  return { glyf: Buffer.concat(written), loca };
}

function restoreGlyph(streams: GlyphStreams, glyph: number): Buffer {
  const contours = streams.contours.i16();
  const box = hasBit(streams.boxBits, glyph) ? streams.boxes.take(8) : undefined;
  if (contours === 0) return Buffer.alloc(0);
  if (contours < 0) return restoreComposite(streams, box!);
  return restoreSimple(streams, contours, box, hasBit(streams.overlapBits, glyph));
}

/** Flags of the components of a composite glyph ("glyf" in the OpenType specification). */
const ARGUMENTS_ARE_WORDS = 0x1;
const HAS_SCALE = 0x8;
const HAS_MORE_COMPONENTS = 0x20;
const HAS_TWO_SCALES = 0x40;
const HAS_MATRIX = 0x80;
const HAS_INSTRUCTIONS = 0x100;

function restoreComposite({ composites, glyphs, instructions }: GlyphStreams, box: Buffer): Buffer {
  const start = composites.position;
  let flags = HAS_MORE_COMPONENTS;
  let all = 0;
  while ((flags & HAS_MORE_COMPONENTS) !== 0) {
    flags = composites.u16();
    all |= flags;
    const scale =
      (flags & HAS_SCALE) !== 0 ? 2 : (flags & HAS_TWO_SCALES) !== 0 ? 4 : (flags & HAS_MATRIX) !== 0 ? 8 : 0;
    composites.position += 2 + ((flags & ARGUMENTS_ARE_WORDS) !== 0 ? 4 : 2) + scale;
  }
  const parts = [Buffer.from([0xff, 0xff]), box, composites.bytes.subarray(start, composites.position)];
  if ((all & HAS_INSTRUCTIONS) !== 0) parts.push(...readInstructions(glyphs, instructions));
  return Buffer.concat(parts);
}

function readInstructions(glyphs: ByteStream, instructions: ByteStream): Buffer[] {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(glyphs.u16Of255());
  return [length, instructions.take(length.readUInt16BE())];
}

const ON_CURVE = 0x1;
const OVERLAPS = 0x40;

/** Writes every coordinate with 16 bits: HarfBuzz needs no compact table. */
function restoreSimple(
  { points, flags, glyphs, instructions }: GlyphStreams,
  contours: number,
  box: Buffer | undefined,
  overlaps: boolean,
): Buffer {
  const ends = Buffer.alloc(contours * 2);
  let count = 0;
  for (let contour = 0; contour < contours; contour++) {
    count += points.u16Of255();
    ends.writeUInt16BE(count - 1, contour * 2);
  }
  const marks = Buffer.alloc(count);
  const coordinates = Buffer.alloc(count * 4);
  const edges = {
    left: Number.POSITIVE_INFINITY,
    top: Number.NEGATIVE_INFINITY,
    right: Number.NEGATIVE_INFINITY,
    bottom: Number.POSITIVE_INFINITY,
  };
  let [x, y] = [0, 0];
  for (let point = 0; point < count; point++) {
    const flag = flags.u8();
    marks[point] = flag < 128 ? ON_CURVE : 0;
    const { dx, dy } = readDelta(flag & 127, glyphs);
    coordinates.writeInt16BE(dx, point * 2);
    coordinates.writeInt16BE(dy, (count + point) * 2);
    x += dx;
    y += dy;
    edges.left = Math.min(edges.left, x);
    edges.right = Math.max(edges.right, x);
    edges.bottom = Math.min(edges.bottom, y);
    edges.top = Math.max(edges.top, y);
  }
  if (overlaps) marks[0] = marks[0]! | OVERLAPS;
  const header = Buffer.alloc(10);
  header.writeInt16BE(contours, 0);
  if (box) box.copy(header, 2);
  else
    [edges.left, edges.bottom, edges.right, edges.top].forEach(
      (edge, index) => void header.writeInt16BE(edge, 2 + index * 2),
    );
  return Buffer.concat([header, ends, ...readInstructions(glyphs, instructions), marks, coordinates]);
}

/** Reads the way from one point to the next, whose flag says how many bits each direction has (section 5.2). */
function readDelta(flag: number, glyphs: ByteStream): { dx: number; dy: number } {
  const signed = (bits: number, value: number) => ((bits & 1) !== 0 ? value : -value);
  const first = glyphs.u8();
  if (flag < 10) return { dx: 0, dy: signed(flag, ((flag & 14) << 7) + first) };
  if (flag < 20) return { dx: signed(flag, (((flag - 10) & 14) << 7) + first), dy: 0 };
  if (flag < 84) {
    const base = flag - 20;
    return {
      dx: signed(flag, 1 + (base & 0x30) + (first >> 4)),
      dy: signed(flag >> 1, 1 + ((base & 0x0c) << 2) + (first & 15)),
    };
  }
  const second = glyphs.u8();
  if (flag < 120) {
    const base = flag - 84;
    return {
      dx: signed(flag, 1 + (Math.trunc(base / 12) << 8) + first),
      dy: signed(flag >> 1, 1 + (((base % 12) >> 2) << 8) + second),
    };
  }
  const third = glyphs.u8();
  if (flag < 124) {
    return { dx: signed(flag, (first << 4) + (second >> 4)), dy: signed(flag >> 1, ((second & 15) << 8) + third) };
  }
  return { dx: signed(flag, (first << 8) + second), dy: signed(flag >> 1, (third << 8) + glyphs.u8()) };
}
