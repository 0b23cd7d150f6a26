/** Small files and blocks with metadata, made by sharp or byte by byte, never by the code under test. */
import sharp, { type Sharp } from 'sharp';
import type { FormatId } from '../../../codecs/formats/registry.ts';

export const WIDTH = 40;
export const HEIGHT = 30;
/** The denominator of the seconds in 51° 30' 32.30". Tests search for it in files that must no longer contain it. */
export const SECRET = 0x5ec2e7;

export const XMP = `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:exif="http://ns.adobe.com/exif/1.0/"
  xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" exif:GPSLatitude="51,30.5N" dc:format="image/jpeg">
<photoshop:City>Ljubljana</photoshop:City></rdf:Description></rdf:RDF></x:xmpmeta>
<?xpacket end="w"?>`;

/** Returns an image whose pixels differ enough to reveal a misplaced byte. */
export function testImage(): Sharp {
  const data = Buffer.from(
    Array.from({ length: WIDTH * HEIGHT * 3 }, (_, index) => (index * 37 + (index >> 5) * 11) % 256),
  );
  return sharp(data, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } });
}

const ENCODERS: Partial<Record<FormatId, (image: Sharp) => Sharp>> = {
  jpeg: (image) => image.jpeg(),
  png: (image) => image.png(),
  webp: (image) => image.webp({ lossless: true, effort: 0 }),
  avif: (image) => image.avif({ effort: 0 }),
  tiff: (image) => image.tiff({ compression: 'lzw' }),
  gif: (image) => image.gif(),
};

/** Encodes the image in a format, without metadata. */
export async function withoutMetadata(format: FormatId): Promise<Uint8Array> {
  return new Uint8Array(await ENCODERS[format]!(testImage()).toBuffer());
}

/** Encodes the image in a format with EXIF (Make and a position), XMP, a Display P3 profile and 300 dpi. */
export async function withMetadata(format: FormatId): Promise<Uint8Array> {
  if (format === 'tiff') return richTiff();
  const image = testImage()
    .withExif({
      IFD0: { Make: 'Acme' },
      IFD3: {
        GPSLatitudeRef: 'N',
        GPSLatitude: `51/1 30/1 3230/${SECRET}`,
        GPSLongitudeRef: 'E',
        GPSLongitude: '14/1 30/1 0/1',
      },
    })
    .withXmp(XMP)
    .withIccProfile('p3')
    .withMetadata({ density: 300 });
  return new Uint8Array(await ENCODERS[format]!(image).toBuffer());
}

/** sharp writes no EXIF into TIFF, so this function writes one by hand: big-endian, uncompressed, one strip. */
async function richTiff(): Promise<Uint8Array> {
  const [ASCII, SHORT, LONG, RATIONAL, UNDEFINED] = [2, 3, 4, 5, 7];
  const samples = await testImage().raw().toBuffer();
  const { icc } = await sharp(await withMetadata('jpeg')).metadata();
  const xmp = Buffer.from(XMP);
  const at = { bits: 220, make: 226, resolution: 232, exif: 240, gps: 260, latitude: 320, data: 400 };
  const iccAt = at.data + samples.length;
  const xmpAt = iccAt + icc!.length;
  const stream = emptyStream(xmpAt + xmp.length);
  putDirectory(stream, 8, [
    [256, SHORT, 1, WIDTH << 16],
    [257, SHORT, 1, HEIGHT << 16],
    [258, SHORT, 3, at.bits],
    [259, SHORT, 1, 1 << 16],
    [262, SHORT, 1, 2 << 16],
    [271, ASCII, 5, at.make],
    [273, LONG, 1, at.data],
    [277, SHORT, 1, 3 << 16],
    [278, SHORT, 1, HEIGHT << 16],
    [279, LONG, 1, samples.length],
    [282, RATIONAL, 1, at.resolution],
    [283, RATIONAL, 1, at.resolution],
    [296, SHORT, 1, 2 << 16],
    [700, 1, xmp.length, xmpAt],
    [34665, LONG, 1, at.exif],
    [34675, UNDEFINED, icc!.length, iccAt],
    [34853, LONG, 1, at.gps],
  ]);
  for (const offset of [0, 2, 4]) stream.writeUInt16BE(8, at.bits + offset);
  stream.write('Acme', at.make);
  stream.writeUInt32BE(300, at.resolution);
  stream.writeUInt32BE(1, at.resolution + 4);
  putDirectory(stream, at.exif, [[0x8827, SHORT, 1, 200 << 16]]);
  putDirectory(stream, at.gps, [
    [1, ASCII, 2, 0x4e000000],
    [2, RATIONAL, 3, at.latitude],
    [3, ASCII, 2, 0x45000000],
    [4, RATIONAL, 3, at.latitude],
  ]);
  for (const offset of [0, 8, 16]) {
    stream.writeUInt32BE(30, at.latitude + offset);
    stream.writeUInt32BE(SECRET, at.latitude + offset + 4);
  }
  stream.set(samples, at.data);
  stream.set(icc!, iccAt);
  stream.set(xmp, xmpAt);
  return new Uint8Array(stream);
}

/** Returns the EXIF of {@link withMetadata} as a bare stream. */
export async function exifStream(): Promise<Uint8Array> {
  const { exif } = await sharp(await withMetadata('jpeg')).metadata();
  return new Uint8Array(exif!.subarray('Exif\0\0'.length));
}

/** Returns the samples of the first image, or of all frames of an animation, without applying profiles. */
export async function pixels(file: Uint8Array): Promise<Buffer> {
  const { format } = await sharp(file).metadata();
  const pages = format === 'gif' || format === 'webp' ? -1 : 1;
  return sharp(file, { ignoreIcc: true, pages }).raw().toBuffer();
}

export function contains(file: Uint8Array, needle: Uint8Array | string): boolean {
  return Buffer.from(file).includes(Buffer.from(needle as Uint8Array));
}

/** Returns whether the file contains the secret number in either byte order. */
export function containsSecret(file: Uint8Array): boolean {
  const bytes = [24, 16, 8, 0].map((shift) => (SECRET >>> shift) & 255);
  return contains(file, Uint8Array.from(bytes)) || contains(file, Uint8Array.from(bytes.reverse()));
}

/** An entry of a big-endian TIFF stream: tag, type, count and the four bytes of the value. */
export type Entry = [tag: number, type: number, count: number, value: number];

/** Writes a directory into a big-endian stream: its entries and the offset of the next directory. */
export function putDirectory(stream: Buffer, at: number, entries: readonly Entry[], next = 0): void {
  stream.writeUInt16BE(entries.length, at);
  for (const [index, [tag, type, count, value]] of entries.entries()) {
    const entry = at + 2 + index * 12;
    stream.writeUInt16BE(tag, entry);
    stream.writeUInt16BE(type, entry + 2);
    stream.writeUInt32BE(count, entry + 4);
    stream.writeUInt32BE(value, entry + 8);
  }
  stream.writeUInt32BE(next, at + 2 + entries.length * 12);
}

/** Returns an empty big-endian TIFF stream whose first directory starts at offset 8. */
export function emptyStream(size: number): Buffer {
  const stream = Buffer.alloc(size);
  stream.write('MM\0*\0\0\0\x08', 'latin1');
  return stream;
}

/** A minimal JPEG stream, enough for code that searches for one. */
export const PREVIEW = Buffer.from('ffd8ffdb00040101ffda000201ff00ffd9', 'hex');

/** Returns a camera's EXIF: orientation 6, 180 dpi, size, maker note with preview, position, thumbnail at the end. */
export function cameraStream(): Uint8Array {
  const [SHORT, LONG, RATIONAL, UNDEFINED] = [3, 4, 5, 7];
  const stream = emptyStream(600);
  putDirectory(
    stream,
    8,
    [
      [0x112, SHORT, 1, 6 << 16],
      [0x11a, RATIONAL, 1, 100],
      [0x11b, RATIONAL, 1, 108],
      [0x128, SHORT, 1, 2 << 16],
      [0x8769, LONG, 1, 120],
      [0x8825, LONG, 1, 200],
    ],
    400,
  );
  for (const at of [100, 108]) {
    stream.writeUInt32BE(180, at);
    stream.writeUInt32BE(1, at + 4);
  }
  putDirectory(stream, 120, [
    [0x927c, UNDEFINED, 60, 300],
    [0xa002, SHORT, 1, 4000 << 16],
    [0xa003, LONG, 1, 3000],
  ]);
  putDirectory(stream, 200, [
    [1, 2, 2, 0x4e000000],
    [2, RATIONAL, 3, 260],
    [4, RATIONAL, 3, 260],
  ]);
  stream.writeUInt32BE(SECRET, 260);
  stream.write('maker note', 300);
  PREVIEW.copy(stream, 320);
  putDirectory(stream, 400, [
    [0x201, LONG, 1, 500],
    [0x202, LONG, 1, 100],
  ]);
  stream.write('thumbnail', 500);
  return new Uint8Array(stream);
}

/** City "Bled" and caption "Lake". */
export const IPTC = Buffer.from('\x1c\x02\x5a\0\x04Bled\x1c\x02\x78\0\x04Lake', 'latin1');

export function u32(value: number, littleEndian = false): Buffer {
  const bytes = Buffer.alloc(4);
  if (littleEndian) bytes.writeUInt32LE(value);
  else bytes.writeUInt32BE(value);
  return bytes;
}

/** Returns a copy of the file with inserted bytes. */
export function insert(file: Uint8Array, at: number, ...bytes: (Uint8Array | string)[]): Uint8Array {
  const parts = bytes.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part));
  return Buffer.concat([file.subarray(0, at), ...parts, file.subarray(at)]);
}
