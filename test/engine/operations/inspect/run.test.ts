/** Results of inspect for files made by sharp or built byte by byte. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { inspectionRecord } from '../../../../engine/operations/inspect/record.ts';
import {
  HEIGHT,
  SECRET,
  testImage,
  WIDTH,
  withMetadata,
  withoutMetadata,
  XMP,
} from '../../../codecs/metadata/fixtures.ts';
import { compress, inspect } from '../../../support/engine.ts';
import { failureOf } from '../../../support/failure.ts';
import { scene } from '../../../support/scenes.ts';
import { flat, pattern, png, sharpOf } from '../../../support/test-images.ts';
import { verifies } from '../../../support/verifies.ts';

/** Writes a PNG chunk by the specification. */
function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

/** Inserts chunks after the header of a PNG. */
function withChunks(file: Uint8Array, ...chunks: Buffer[]): Buffer {
  const behindHeader = 8 + 25;
  return Buffer.concat([file.subarray(0, behindHeader), ...chunks, file.subarray(behindHeader)]);
}

/** Inserts segments after the start of a JPEG. */
function withSegments(file: Uint8Array, ...segments: [marker: number, payload: Buffer | string][]): Buffer {
  const made = segments.map(([marker, payload]) => {
    const data = Buffer.from(payload as string, 'latin1');
    const head = Buffer.from([0xff, marker, 0, 0]);
    head.writeUInt16BE(data.length + 2, 2);
    return Buffer.concat([head, data]);
  });
  return Buffer.concat([file.subarray(0, 2), ...made, file.subarray(2)]);
}

describe('inspect', () => {
  for (const format of ['jpeg', 'png', 'webp', 'avif', 'tiff', 'gif'] as const) {
    it(`reports format and size of ${format}, in a record that matches its schema`, async () => {
      verifies('inspect.format', 'inspect.size');
      const file = await withoutMetadata(format);
      const record = await inspect(file);
      inspectionRecord.parse({ ...record, duration_ms: 1 });
      assert.equal(record.format, format);
      assert.equal(record.content_type, `image/${format}`);
      assert.equal(record.bytes, file.length);
      assert.deepEqual([record.width, record.height], [WIDTH, HEIGHT]);
      assert.deepEqual([record.stored_width, record.stored_height, record.orientation], [WIDTH, HEIGHT, 1]);
      assert.deepEqual([record.page, record.pages, record.animated, record.frames], [1, 1, false, null]);
      assert.deepEqual(record.warnings, []);
      assert.equal(record.color.has_alpha, false);
    });
  }

  for (const format of ['jpeg', 'png', 'webp', 'avif', 'tiff'] as const) {
    it(`reports metadata, camera, location and profile of ${format}`, async () => {
      verifies('inspect.metadata', 'inspect.gps');
      const record = await inspect(await withMetadata(format));
      const { exif, xmp } = record.metadata;
      assert.equal(exif?.Make, 'Acme');
      assert.equal(record.camera?.make, 'Acme');
      assert.equal(xmp?.['photoshop:City'], 'Ljubljana');
      assert.equal(xmp?.['dc:format'], 'image/jpeg');
      const [latitude, longitude] = format === 'tiff' ? tiffPlace() : [51 + 30 / 60 + 3230 / SECRET / 3600, 14.5];
      assert.ok(Math.abs(record.gps!.latitude! - latitude) < 1e-6, `${record.gps!.latitude} is not ${latitude}`);
      assert.ok(Math.abs(record.gps!.longitude! - longitude) < 1e-6);
      assert.deepEqual(record.dpi, { x: 300, y: 300 });
      assert.equal(record.color.space, 'srgb');
      assert.equal(typeof record.color.icc_profile, 'string');
      assert.ok(record.metadata.exif_bytes > 0);
      assert.equal(record.metadata.xmp_bytes, Buffer.byteLength(XMP));
      assert.ok(record.metadata.icc_bytes > 0);
      assert.deepEqual(record.privacy, ['gps']);
    });
  }

  /** Returns the position in the fixture. All three parts of both coordinates are 30 / SECRET. */
  function tiffPlace(): [number, number] {
    const part = 30 / SECRET;
    const degrees = part + part / 60 + part / 3600;
    return [degrees, degrees];
  }

  it('omits what a file does not contain', async () => {
    const { metadata, camera, gps, taken_at, thumbnail, dpi, color, provenance, privacy } = await inspect(
      await withoutMetadata('webp'),
    );
    assert.deepEqual(metadata, {
      ...{ exif: null, iptc: null, xmp: null, png_text: null, comment: null },
      ...{ exif_bytes: 0, iptc_bytes: 0, xmp_bytes: 0, icc_bytes: 0 },
    });
    assert.deepEqual([camera, gps, taken_at, thumbnail, dpi, color.icc_profile], [null, null, null, null, null, null]);
    assert.deepEqual([provenance, privacy], [{ c2pa: false }, []]);
  });

  it('reports the stored and the displayed size of a turned image', async () => {
    verifies('inspect.size');
    for (const orientation of [3, 6, 8]) {
      const file = await testImage().withMetadata({ orientation }).jpeg().toBuffer();
      const record = await inspect(file);
      const sideways = orientation >= 5;
      assert.equal(record.orientation, orientation);
      assert.deepEqual([record.stored_width, record.stored_height], [WIDTH, HEIGHT]);
      assert.deepEqual([record.width, record.height], sideways ? [HEIGHT, WIDTH] : [WIDTH, HEIGHT]);
    }
  });

  it('reports the exposure settings', async () => {
    const file = await testImage()
      .withExif({
        IFD0: { Make: 'Acme', Model: 'Box  ', Software: 'Darkroom 2', Artist: 'Ana' },
        IFD2: {
          ExposureTime: '1/250',
          FNumber: '28/10',
          ISOSpeedRatings: '400',
          FocalLength: '50/1',
          LensModel: 'Fifty 50mm f/1.8',
          DateTimeOriginal: '2026:03:05 11:28:10',
          SubSecTimeOriginal: '15',
          OffsetTimeOriginal: '+02:00',
          BodySerialNumber: '12345',
        },
      })
      .jpeg()
      .toBuffer();
    const record = await inspect(file);
    assert.deepEqual(record.camera, {
      ...{ make: 'Acme', model: 'Box', lens: 'Fifty 50mm f/1.8' },
      ...{ exposure_time: '1/250', f_number: 2.8, iso: 400, focal_length_mm: 50 },
    });
    assert.equal(record.taken_at, '2026-03-05T11:28:10.15+02:00');
    assert.deepEqual(record.privacy, ['serial_number', 'owner_name', 'software']);
    const { exif } = record.metadata;
    assert.deepEqual([exif?.ISO, exif?.SerialNumber, exif?.Model, exif?.FNumber], [400, '12345', 'Box', 2.8]);
  });

  it('reports the EXIF thumbnail, with its own size', async () => {
    const small = await sharpOf(flat(16, 12, 1, 2, 3))
      .jpeg()
      .toBuffer();
    // Two directories: an empty one, then one with the offset and length of a JPEG.
    const exif = Buffer.alloc(14 + 2 + 2 * 12 + 4);
    exif.write('II*\0', 'latin1');
    exif.writeUInt32LE(8, 4);
    exif.writeUInt32LE(14, 10);
    exif.writeUInt16LE(2, 14);
    for (const [index, [tag, value]] of [
      [513, exif.length],
      [514, small.length],
    ].entries()) {
      exif.writeUInt16LE(tag!, 16 + index * 12);
      exif.writeUInt16LE(4, 18 + index * 12);
      exif.writeUInt32LE(1, 20 + index * 12);
      exif.writeUInt32LE(value!, 24 + index * 12);
    }
    const file = withSegments(await withoutMetadata('jpeg'), [
      0xe1,
      Buffer.concat([Buffer.from('Exif\0\0'), exif, small]),
    ]);
    const record = await inspect(file);
    assert.deepEqual(record.thumbnail, { width: 16, height: 12, bytes: small.length, format: 'jpeg' });
    assert.deepEqual(record.privacy, ['thumbnail']);
  });

  it('reads IPTC and comments', async () => {
    const record = (number: number, text: string) =>
      Buffer.concat([Buffer.from([0x1c, 2, number, 0, Buffer.byteLength(text)]), Buffer.from(text)]);
    const iptc = Buffer.concat([
      record(25, 'harbour'),
      record(25, 'čoln'),
      record(80, 'Ana'),
      record(55, '20260305'),
      record(60, '112810+0200'),
    ]);
    const resource = Buffer.concat([
      Buffer.from('Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0'),
      Buffer.from([iptc.length]),
      iptc,
    ]);
    const file = withSegments(await withoutMetadata('jpeg'), [0xed, resource], [0xfe, 'Made by hand']);
    const { metadata, taken_at, privacy } = await inspect(file);
    assert.deepEqual(metadata.iptc?.Keywords, ['harbour', 'čoln']);
    assert.equal(metadata.iptc_bytes, iptc.length);
    assert.equal(metadata.comment, 'Made by hand');
    assert.equal(taken_at, '2026-03-05T11:28:10+02:00');
    assert.deepEqual(privacy, ['owner_name']);
  });

  it('reads the texts of a PNG', async () => {
    const file = withChunks(
      await withoutMetadata('png'),
      chunk('tEXt', Buffer.from('Comment\0Plain, caf\xe9', 'latin1')),
      chunk('zTXt', Buffer.concat([Buffer.from('Title\0\0'), deflateSync('Packed')])),
      chunk('iTXt', Buffer.from('Author\0\0\0\0\0Žiga')),
      chunk('iTXt', Buffer.concat([Buffer.from('Software\0\x01\0en\0\0'), deflateSync('Čopič')])),
    );
    const { metadata, privacy } = await inspect(file);
    assert.deepEqual(metadata.png_text, { Comment: 'Plain, café', Title: 'Packed', Author: 'Žiga', Software: 'Čopič' });
    assert.equal(metadata.comment, 'Plain, café');
    assert.deepEqual(privacy, ['owner_name', 'software']);
  });
});

describe('colours that inspect reports', () => {
  it('come from the pixels: average, dominant and palette', async () => {
    const left = flat(30, 40, 200, 30, 10);
    const file = await sharpOf(flat(40, 40, 20, 40, 220))
      .composite([{ input: left.data, raw: { width: 30, height: 40, channels: 3 }, left: 0, top: 0 }])
      .png()
      .toBuffer();
    const { colors } = await inspect(file);
    assert.deepEqual(colors, { average: '#9b213f', dominant: '#c81e0a', palette: ['#c81e0a', '#1428dc'] });
  });

  it('have at most eight palette colours, most frequent first', async () => {
    const { colors } = await inspect(await png(scene('photo', 300, 200)));
    assert.ok(colors!.palette.length > 3 && colors!.palette.length <= 8);
    assert.equal(colors!.palette[0], colors!.dominant);
    assert.equal(new Set(colors!.palette).size, colors!.palette.length);
  });

  it('ignore transparent pixels', async () => {
    const file = await sharpOf(flat(40, 40, 255, 0, 0, 0))
      .composite([
        { input: { create: { width: 40, height: 10, channels: 4, background: '#336699' } }, top: 0, left: 0 },
      ])
      .png()
      .toBuffer();
    assert.equal((await inspect(file)).colors?.dominant, '#336699');
    assert.equal((await inspect(await png(flat(9, 9, 10, 20, 30, 0)))).colors, null);
  });

  it('report whether any pixel is really transparent', async () => {
    const opaque = flat(200, 100, 9, 9, 9, 255);
    const one = { ...opaque, data: Buffer.from(opaque.data) };
    one.data[3 + 4 * 12_345] = 254;
    const transparency = async (file: Buffer) => {
      const { has_alpha, transparent } = (await inspect(file)).color;
      return [has_alpha, transparent];
    };
    assert.deepEqual(await transparency(await png(opaque)), [true, false]);
    assert.deepEqual(await transparency(await png(one)), [true, true]);
    assert.deepEqual(await transparency(await png(flat(20, 10, 9, 9, 9))), [false, false]);
  });

  const space = async (file: Uint8Array) => (await inspect(file)).color.space;

  it('include the colour space of the samples', async () => {
    const image = () => sharpOf(pattern(24, 16));
    assert.equal(await space(await image().jpeg().toBuffer()), 'srgb');
    assert.equal(await space(await image().withIccProfile('srgb').jpeg().toBuffer()), 'srgb');
    assert.equal(await space(await image().withIccProfile('p3').webp().toBuffer()), 'display_p3');
    assert.equal(await space(await image().toColourspace('cmyk').jpeg().toBuffer()), 'cmyk');
    assert.equal(await space(await image().toColourspace('cmyk').tiff().toBuffer()), 'cmyk');
    assert.equal(await space(await image().toColourspace('b-w').png().toBuffer()), 'gray');
  });

  it('use what a PNG signals without a profile', async () => {
    const file = await withoutMetadata('png');
    const gamma = (value: number) => {
      const data = Buffer.alloc(4);
      data.writeUInt32BE(value);
      return chunk('gAMA', data);
    };
    assert.equal(await space(withChunks(file, chunk('sRGB', Buffer.from([0])))), 'srgb');
    assert.equal(await space(withChunks(file, gamma(45_455))), 'srgb');
    assert.equal(await space(withChunks(file, gamma(100_000))), 'unknown');
    assert.equal(await space(withChunks(file, chunk('cICP', Buffer.from([12, 13, 0, 1])))), 'display_p3');
    const { color } = await inspect(withChunks(file, chunk('cICP', Buffer.from([9, 16, 0, 1]))));
    assert.deepEqual([color.space, color.hdr], ['unknown', true]);
  });

  it('include the number of channels, bits and palette entries', async () => {
    const image = () => sharpOf(pattern(24, 16, 4));
    const of = async (file: Buffer) => {
      const { channels, bit_depth, palette_colors } = (await inspect(file)).color;
      return [channels, bit_depth, palette_colors];
    };
    assert.deepEqual(await of(await image().png().toBuffer()), [4, 8, null]);
    assert.deepEqual(await of(await image().removeAlpha().toColourspace('rgb16').png().toBuffer()), [3, 16, null]);
    assert.deepEqual(await of(await image().removeAlpha().png({ palette: true, colours: 4 }).toBuffer()), [3, 2, 4]);
    assert.deepEqual(await of(await image().removeAlpha().gif({ colours: 16 }).toBuffer()), [3, 4, 16]);
    assert.deepEqual(await of(await image().removeAlpha().avif({ bitdepth: 10, effort: 0 }).toBuffer()), [3, 10, null]);
    assert.deepEqual(await of(await image().toColourspace('b-w').removeAlpha().jpeg().toBuffer()), [1, 8, null]);
  });

  it('are of high dynamic range when there is a gain map', async () => {
    const file = await withoutMetadata('jpeg');
    const xmp = (content: string) =>
      `http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description ${content}/></rdf:RDF></x:xmpmeta>`;
    const gainMap = xmp('xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0"');
    assert.equal((await inspect(file)).color.hdr, false);
    assert.equal((await inspect(withSegments(file, [0xe1, gainMap]))).color.hdr, true);
    const iso = 'urn:iso:std:iso:ts:21496:-1\0\0\0\0\0';
    assert.equal((await inspect(withSegments(file, [0xe2, iso]))).color.hdr, true);
    assert.equal((await inspect(withSegments(file, [0xe1, xmp('xmp:Rating="3"')]))).color.hdr, false);
  });
});

describe('encoding that inspect reports', () => {
  const encoding = async (file: Buffer) => (await inspect(file)).encoding;

  it('includes the quality that a JPEG was written with', async () => {
    for (const quality of [1, 10, 30, 49, 50, 51, 75, 85, 92, 100]) {
      for (const chromaSubsampling of ['4:4:4', '4:2:0']) {
        const file = await sharpOf(pattern(32, 24)).jpeg({ quality, chromaSubsampling }).toBuffer();
        const found = await encoding(file);
        assert.equal(found.quality_estimate, quality);
        assert.equal(found.chroma_subsampling, chromaSubsampling);
      }
    }
    const grey = await sharpOf(pattern(32, 24)).toColourspace('b-w').jpeg({ quality: 63 }).toBuffer();
    assert.equal((await encoding(grey)).quality_estimate, 63);
    assert.equal((await encoding(grey)).chroma_subsampling, null);
  });

  it('marks progressive and lossless files', async () => {
    const image = () => sharpOf(pattern(32, 24));
    const of = async (file: Buffer) => {
      const { progressive, lossless } = await encoding(file);
      return [progressive, lossless];
    };
    assert.deepEqual(await of(await image().jpeg().toBuffer()), [false, false]);
    assert.deepEqual(await of(await image().jpeg({ progressive: true }).toBuffer()), [true, false]);
    assert.deepEqual(await of(await image().png().toBuffer()), [false, true]);
    assert.deepEqual(await of(await image().png({ progressive: true }).toBuffer()), [true, true]);
    assert.deepEqual(await of(await image().gif().toBuffer()), [false, true]);
    assert.deepEqual(await of(await image().webp().toBuffer()), [null, false]);
    assert.deepEqual(await of(await image().webp({ lossless: true }).toBuffer()), [null, true]);
  });

  it('names the compression method', async () => {
    const image = () => sharpOf(pattern(32, 24));
    const name = async (file: Buffer) => (await encoding(file)).compression;
    for (const compression of ['none', 'lzw', 'deflate', 'packbits', 'jpeg'] as const) {
      assert.equal(await name(await image().tiff({ compression }).toBuffer()), compression);
    }
    assert.equal(
      await name(await image().toColourspace('b-w').tiff({ compression: 'ccittfax4', bitdepth: 1 }).toBuffer()),
      'ccitt_fax4',
    );
    assert.equal(await name(await image().png().toBuffer()), 'deflate');
    assert.equal(await name(await image().gif().toBuffer()), 'lzw');
    assert.equal(await name(await image().jpeg().toBuffer()), 'baseline');
    assert.equal(await name(await image().jpeg({ progressive: true }).toBuffer()), 'progressive');
    assert.equal(await name(await image().webp({ lossless: true }).toBuffer()), 'vp8l');
    assert.equal(await name(await image().avif({ effort: 0 }).toBuffer()), 'av1');
  });

  it('reports how animations play', async () => {
    const frames = [10, 90, 170].map((level) => flat(8, 6, level, level, level));
    const column = sharp(Buffer.concat(frames.map(({ data }) => data)), {
      raw: { width: 8, height: 18, channels: 3, pageHeight: 6 },
    });
    for (const file of [
      await column
        .clone()
        .gif({ delay: [100, 200, 300], loop: 4 })
        .toBuffer(),
      await column
        .clone()
        .webp({ delay: [100, 200, 300], loop: 4 })
        .toBuffer(),
    ]) {
      const { animated, frames, animation_ms, loop, width, height } = await inspect(file);
      assert.deepEqual([animated, frames, animation_ms, loop], [true, 3, 600, 4]);
      assert.deepEqual([width, height], [8, 6]);
    }
  });

  it('detects content credentials', async () => {
    const c2pa = async (file: Uint8Array) => (await inspect(file)).provenance.c2pa;
    const jumbf = 'JP\0\x01\0\0\0\x01\0\0\0\x40jumb\0\0\0\x26jumdc2pa\0\x11\0\x10\x80\0\0\xaa\0\x38\x9b\x71\x03c2pa\0';
    assert.equal(await c2pa(withSegments(await withoutMetadata('jpeg'), [0xeb, jumbf])), true);
    assert.equal(
      await c2pa(withSegments(await withoutMetadata('jpeg'), [0xeb, 'JP\0\x01 something else jumb'])),
      false,
    );
    assert.equal(await c2pa(withChunks(await withoutMetadata('png'), chunk('caBX', Buffer.from('jumb')))), true);
    assert.equal(await c2pa(await withoutMetadata('png')), false);
  });
});

describe('fingerprints that inspect reports', () => {
  it('are the hash of the file and the fingerprint of compress', async () => {
    verifies('inspect.fingerprints');
    const turned = await sharpOf(scene('photo', 700, 500))
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    for (const file of [
      await sharpOf(scene('photo', 1100, 900))
        .jpeg()
        .toBuffer(),
      await sharpOf(pattern(90, 70, 4))
        .png()
        .toBuffer(),
      await sharpOf(scene('print', 300, 200))
        .webp()
        .toBuffer(),
      await sharpOf(scene('photo', 200, 300))
        .tiff()
        .toBuffer(),
      turned,
    ]) {
      const { fingerprints } = await inspect(file);
      assert.equal(fingerprints.sha256, createHash('sha256').update(file).digest('hex'));
      const { fingerprint } = await compress(file, { fingerprint: true, width: 32 });
      assert.equal(fingerprints.phash, fingerprint);
    }
  });

  it('include a difference hash: a bit for each pixel that is darker than its right neighbour', async () => {
    const ramp = (level: (x: number) => number) => {
      const data = Buffer.from(Array.from({ length: 72 * 64 }, (_, at) => level(at % 72)));
      return sharp(data, { raw: { width: 72, height: 64, channels: 1 } })
        .png()
        .toBuffer();
    };
    assert.equal((await inspect(await ramp((x) => x * 3))).fingerprints.dhash, 'ffffffffffffffff');
    assert.equal((await inspect(await ramp((x) => 255 - x * 3))).fingerprints.dhash, '0000000000000000');
    const up = await ramp((x) => (x < 36 ? x * 6 : (72 - x) * 6));
    assert.equal((await inspect(up)).fingerprints.dhash, 'f0'.repeat(8));
  });

  it('include a blurhash of 4 x 3 components that decodes to the image', async () => {
    const { blurhash } = await inspect(await png(flat(50, 40, 255, 255, 255)));
    // The size flag of 4 x 3 components, no contrast, white.
    assert.match(blurhash!, /^L[0-9A-Za-z#$%*+,\-.:;=?@[\]^_{|}~]{27}$/);
    const red = (await inspect(await png(flat(50, 40, 255, 0, 0)))).blurhash!;
    assert.notEqual(red, blurhash);
  });
});

describe('pages and truncated files', () => {
  it('reports the requested page', async () => {
    const pages = await Promise.all([png(flat(30, 20, 255, 0, 0)), png(flat(30, 20, 0, 0, 255))]);
    const file = await sharp(pages, { join: { animated: true } })
      .tiff({ compression: 'none' })
      .toBuffer();
    const second = await inspect(file, { page: 2 });
    assert.deepEqual([second.page, second.pages, second.colors?.dominant], [2, 2, '#0000ff']);
    assert.equal((await inspect(file)).colors?.dominant, '#ff0000');
    await failureOf('page_out_of_range', () => inspect(file, { page: 3 }));
  });

  it('uses what can be read of a truncated file, with a warning', async () => {
    const whole = await sharpOf(scene('photo', 400, 300))
      .jpeg()
      .toBuffer();
    const record = await inspect(whole.subarray(0, Math.floor(whole.length * 0.7)));
    assert.deepEqual(record.warnings, ['truncated_source']);
    assert.deepEqual([record.width, record.height], [400, 300]);
    assert.match(record.fingerprints.phash ?? '', /^[0-9a-f]{16}$/);
    assert.notEqual(record.colors, null);
  });

  it('keeps the header fields when no pixel can be decoded', async () => {
    const file = await sharpOf(pattern(48, 32, 4))
      .avif({ effort: 0 })
      .toBuffer();
    const record = await inspect(file.fill(0x55, file.indexOf('mdat') + 4));
    assert.deepEqual([record.format, record.width, record.height], ['avif', 48, 32]);
    assert.deepEqual(record.warnings, ['truncated_source']);
    assert.deepEqual([record.fingerprints.phash, record.fingerprints.dhash], [null, null]);
    assert.deepEqual([record.colors, record.blurhash, record.color.transparent], [null, null, null]);
    assert.match(record.fingerprints.sha256, /^[0-9a-f]{64}$/);
    assert.equal(record.encoding.compression, 'av1');
  });

  it('rejects unknown formats, and more pixels than it may decode', async () => {
    await failureOf('unsupported_format', () => inspect(Buffer.from('no image at all')));
    await failureOf('corrupt_image', () => inspect(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')));
    const header = Buffer.alloc(13);
    header.writeUInt32BE(60_000, 0);
    header.writeUInt32BE(60_000, 4);
    header.set([8, 2, 0, 0, 0], 8);
    const bomb = Buffer.concat([
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      chunk('IHDR', header),
      chunk('IDAT', deflateSync(Buffer.alloc(1000))),
      chunk('IEND', Buffer.alloc(0)),
    ]);
    await failureOf('image_too_large', () => inspect(bomb));
  });
});
