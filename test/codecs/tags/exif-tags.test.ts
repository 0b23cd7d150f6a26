/** EXIF streams built byte by byte, and the tags that are read from them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openExifSections, readExifTags } from '../../../codecs/tags/exif-tags.ts';
import { LIMITS, MetadataBudget } from '../../../codecs/tags/plain.ts';

type Entry = [tag: number, type: number, count: number, data: Buffer];

const BYTE = 1;
const ASCII = 2;
const SHORT = 3;
const LONG = 4;
const RATIONAL = 5;
const UNDEFINED = 7;
const SIGNED_RATIONAL = 10;
const FLOAT = 11;
const UTF8 = 129;

/** Builds a TIFF stream of three directories: main, EXIF and GPS. */
class Stream {
  readonly big: boolean;

  constructor(big: boolean) {
    this.big = big;
  }

  numbers(size: 2 | 4, ...values: number[]): Buffer {
    const data = Buffer.alloc(values.length * size);
    for (const [index, value] of values.entries()) {
      if (this.big) data.writeUIntBE(value, index * size, size);
      else data.writeUIntLE(value, index * size, size);
    }
    return data;
  }

  text(tag: number, text: string, type = ASCII): Entry {
    const data = Buffer.from(`${text}\0`);
    return [tag, type, data.length, data];
  }

  short(tag: number, ...values: number[]): Entry {
    return [tag, SHORT, values.length, this.numbers(2, ...values)];
  }

  rational(tag: number, ...values: number[]): Entry {
    return [tag, RATIONAL, values.length / 2, this.numbers(4, ...values)];
  }

  directory(at: number, entries: Entry[]): Buffer {
    const table = [this.numbers(2, entries.length)];
    const values: Buffer[] = [];
    let valueAt = at + 2 + entries.length * 12 + 4;
    for (const [tag, type, count, data] of entries) {
      const inline = data.length <= 4;
      const field = inline ? Buffer.concat([data, Buffer.alloc(4 - data.length)]) : this.numbers(4, valueAt);
      table.push(this.numbers(2, tag, type), this.numbers(4, count), field);
      if (!inline) {
        values.push(data);
        valueAt += data.length;
      }
    }
    return Buffer.concat([...table, Buffer.alloc(4), ...values]);
  }

  build(main: Entry[], exif: Entry[], gps: Entry[]): Uint8Array {
    const header = Buffer.concat([Buffer.from(this.big ? 'MM' : 'II'), this.numbers(2, 42), this.numbers(4, 8)]);
    const pointers = (exifAt: number, gpsAt: number): Entry[] => [
      ...main,
      [34665, LONG, 1, this.numbers(4, exifAt)],
      [34853, LONG, 1, this.numbers(4, gpsAt)],
    ];
    const exifAt = 8 + this.directory(8, pointers(0, 0)).length;
    const gpsAt = exifAt + this.directory(exifAt, exif).length;
    return Buffer.concat([
      header,
      this.directory(8, pointers(exifAt, gpsAt)),
      this.directory(exifAt, exif),
      this.directory(gpsAt, gps),
    ]);
  }
}

const read = (exif: Uint8Array) => readExifTags(openExifSections(exif), new MetadataBudget());

describe('EXIF as names and values', () => {
  for (const big of [true, false]) {
    it(`reads every type of value, ${big ? 'big' : 'little'}-endian`, () => {
      const s = new Stream(big);
      const negative = s.numbers(4, 2 ** 32 - 1, 3);
      const float = Buffer.alloc(4);
      if (big) float.writeFloatBE(1.5);
      else float.writeFloatLE(1.5);
      const tags = read(
        s.build(
          [
            s.text(271, 'Acme   '),
            s.text(272, 'Bøx', UTF8),
            s.short(274, 6),
            s.rational(282, 300, 1),
            [40092, BYTE, 12, Buffer.from('Grüße\0', 'utf16le')],
            [40093, BYTE, 3, Buffer.from([65, 0, 66])],
          ],
          [
            s.rational(33434, 1, 250),
            s.rational(33437, 28, 10),
            s.short(34855, 400),
            [36864, UNDEFINED, 4, Buffer.from('0232')],
            s.text(36867, '2026:03:05 11:28:10'),
            [37380, SIGNED_RATIONAL, 1, negative],
            [37377, SIGNED_RATIONAL, 1, s.numbers(4, 8, 1)],
            s.rational(37378, 4, 1),
            [37510, UNDEFINED, 13, Buffer.from('ASCII\0\0\0Hello', 'latin1')],
            [37121, UNDEFINED, 4, Buffer.from([1, 2, 3, 0])],
            [42240, FLOAT, 1, float],
            s.rational(42034, 24, 1, 70, 1, 28, 10, 4, 1),
            s.rational(41988, 0, 0),
            [41730, UNDEFINED, 40, Buffer.alloc(40)],
          ],
          [
            [0, BYTE, 4, Buffer.from([2, 3, 0, 0])],
            s.text(1, 'S'),
            s.rational(2, 33, 1, 51, 1, 2112, 100),
            s.text(3, 'W'),
            s.rational(4, 151, 1, 123, 10, 0, 1),
            [5, BYTE, 1, Buffer.from([1])],
            s.rational(6, 1234, 100),
            s.rational(7, 9, 1, 5, 1, 725, 100),
            s.text(29, '2026:03:05'),
          ],
        ),
      );
      assert.deepEqual(tags, {
        ...{ Make: 'Acme', Model: 'Bøx', Orientation: 6, XResolution: 300, XPComment: 'Grüße', XPAuthor: 'A' },
        ...{ ExposureTime: 0.004, FNumber: 2.8, ISO: 400, ExifVersion: '0232' },
        ...{ DateTimeOriginal: '2026:03:05 11:28:10', ExposureCompensation: -0.3333333333 },
        // APEX values: 2^-8 seconds and f/4.
        ...{ ShutterSpeedValue: 0.00390625, ApertureValue: 4 },
        ...{ UserComment: 'Hello', ComponentsConfiguration: [1, 2, 3, 0], Gamma: 1.5, LensInfo: [24, 70, 2.8, 4] },
        CFAPattern: { bytes: 40 },
        ...{ GPSVersionID: [2, 3, 0, 0], GPSLatitudeRef: 'S', GPSLatitude: 33.8558666667 },
        ...{ GPSLongitudeRef: 'W', GPSLongitude: 151.205, GPSAltitudeRef: 1, GPSAltitude: 12.34 },
        ...{ GPSTimeStamp: '09:05:07.25', GPSDateStamp: '2026:03:05' },
      });
    });
  }

  it('reads comments in the encoding that they declare', () => {
    for (const big of [true, false]) {
      const text = Buffer.from('Žiga', 'utf16le');
      const comment = Buffer.concat([Buffer.from('UNICODE\0'), big ? text.swap16() : text]);
      const s = new Stream(big);
      const place = Buffer.concat([Buffer.from('ASCII\0\0\0'), Buffer.from('GPS\0')]);
      const tags = read(
        s.build([], [[37510, UNDEFINED, comment.length, comment]], [[27, UNDEFINED, place.length, place]]),
      );
      assert.deepEqual([tags.UserComment, tags.GPSProcessingMethod], ['Žiga', 'GPS']);
    }
  });

  it('summarises maker notes: maker, size and known values', () => {
    const s = new Stream(false);
    // Canon's directory is in the maker note itself. Its offsets count from the start of the whole stream.
    const build = (notesAt: number) => {
      const notes = s.directory(notesAt, [s.text(0x95, 'EF 50mm f/1.8 STM'), [0x0c, LONG, 1, s.numbers(4, 123456)]]);
      const exif = s.build([s.text(271, 'Canon')], [[37500, UNDEFINED, notes.length, notes]], []);
      return { exif, notesAt: Buffer.from(exif).indexOf(notes.subarray(0, 6)), length: notes.length };
    };
    const { exif, length } = build(build(0).notesAt);
    assert.deepEqual(read(exif).MakerNote, {
      ...{ maker: 'Canon', bytes: length },
      ...{ LensModel: 'EF 50mm f/1.8 STM', SerialNumber: '123456' },
    });
  });

  it('reads the tags before the end of a truncated stream', () => {
    const s = new Stream(true);
    const whole = s.build([s.text(271, 'Acme'), s.short(274, 3)], [], []);
    // Cuts the stream in the middle of the second entry.
    assert.deepEqual(read(whole.subarray(0, 8 + 2 + 12 + 6)), {});
    assert.deepEqual(Object.keys(read(whole.subarray(0, 8 + 2 + 24 + 6))), ['Orientation']);
    assert.deepEqual(read(Buffer.from('II*\0')), {});
    assert.deepEqual(read(Buffer.alloc(0)), {});
  });

  it('handles circular directories', () => {
    const s = new Stream(true);
    const exif = Buffer.concat([
      Buffer.from('MM\0*\0\0\0\x08', 'latin1'),
      s.directory(8, [
        [34665, LONG, 1, s.numbers(4, 8)],
        [34853, LONG, 1, s.numbers(4, 8)],
        [271, ASCII, 4, Buffer.from('Ann\0')],
      ]),
    ]);
    assert.equal(read(exif).Make, 'Ann');
  });

  it('limits the output of 60,000 tags of 1 MB each', () => {
    const s = new Stream(true);
    const count = 60_000;
    const text = Buffer.alloc(2 ** 20, 'a');
    const textAt = 8 + 2 + count * 12 + 4;
    const entries = Array.from({ length: count }, (_, index) =>
      Buffer.concat([s.numbers(2, index % 2 === 0 ? 270 : 305, ASCII), s.numbers(4, text.length, textAt)]),
    );
    const exif = Buffer.concat([
      Buffer.from('MM\0*\0\0\0\x08', 'latin1'),
      s.numbers(2, count),
      ...entries,
      Buffer.alloc(4),
      text,
    ]);
    const tags = read(exif);
    assert.equal(tags.ImageDescription, `${'a'.repeat(LIMITS.text)}…`);
    assert.ok(JSON.stringify(tags).length < 3 * LIMITS.text);
  });
});
