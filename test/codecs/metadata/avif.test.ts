import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { type ItemMeta, parseMeta, propertyType, serialiseMeta } from '../../../codecs/metadata/avif-items.ts';
import { Reader } from '../../../codecs/metadata/bytes.ts';
import { readMetadata, writeMetadata } from '../../../codecs/metadata/index.ts';
import { boxesOf } from '../../../codecs/metadata/isobmff.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { contains, pixels, withMetadata, withoutMetadata, XMP } from './fixtures.ts';

function box(type: string, ...content: Uint8Array[]): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.reduce((sum, part) => sum + part.length, 8));
  return Buffer.concat([length, Buffer.from(type), ...content]);
}

const hex = (digits: string) => Buffer.from(digits.replaceAll(' ', ''), 'hex');
const VERSION_0 = hex('00000000');

function metaOf(file: Uint8Array): ItemMeta {
  const reader = new Reader(file, 'avif');
  return parseMeta(reader, boxesOf(reader, 0, file.length).find(({ type }) => type === 'meta')!);
}

/** Returns the file with changed items and appended data. `change` receives the offset of the data. */
function withItems(
  file: Uint8Array,
  change: (meta: ItemMeta, dataAt: number) => ItemMeta,
  data: Uint8Array,
): Uint8Array {
  const [fileType, meta, media] = boxesOf(new Reader(file, 'avif'), 0, file.length);
  const build = (shift: number) => {
    const items = metaOf(file).items.map((item) => ({
      ...item,
      extents: item.extents.map(({ offset, length }) => ({ offset: offset + shift, length })),
    }));
    return serialiseMeta(change({ ...metaOf(file), items }, media!.end + shift));
  };
  const shift = build(0).length - (meta!.end - meta!.start);
  const coded = file.subarray(media!.contentStart, media!.end);
  return Buffer.concat([file.subarray(0, fileType!.end), build(shift), box('mdat', coded, data)]);
}

function entry(id: number, type: string): Uint8Array {
  return box('infe', hex('02000000'), Uint8Array.of(0, id, 0, 0), Buffer.from(`${type}\0application/rdf+xml\0`));
}

describe('avif', () => {
  it('keeps rotation and alpha', async () => {
    const file = await sharp(await withoutMetadata('png'))
      .ensureAlpha(0.5)
      .avif({ effort: 0 })
      .toBuffer();
    const written = writeMetadata('avif', file, readMetadata('avif', await withMetadata('avif')));
    assert.deepEqual(await pixels(written), await pixels(file));
    assert.deepEqual(await pixels(writeMetadata('avif', written, {})), await pixels(file));
  });

  const REAL = [
    'abc_color_irot_alpha_irot',
    'sofa_grid1x5_420',
    'draw_points_idat_progressive',
    'seine_sdr_gainmap_srgb_icc',
    'paris_icc_exif_xmp',
  ];
  for (const name of REAL) {
    it(`keeps the image of ${name}`, { skip: corpusSkipReason }, async () => {
      const file = corpus(`avif/libavif--${name}.avif`)!;
      const stored = readMetadata('avif', file);
      for (const metadata of [{}, stored, readMetadata('avif', await withMetadata('avif'))]) {
        const written = writeMetadata('avif', file, metadata);
        assert.deepEqual(await pixels(written), await pixels(file));
        // The gain map is among the images of the file, which stay.
        const { gainMap } = stored;
        assert.deepEqual(readMetadata('avif', written), gainMap ? { ...metadata, gainMap } : metadata);
      }
    });
  }

  it('strips the tracks of a sequence', { skip: corpusSkipReason }, () => {
    const file = corpus('avif/libavif--colors-animated-8bpc-alpha-exif-xmp.avif')!;
    assert.equal(contains(file, 'Pixel 4a') && contains(file, 'xmpmeta'), true);
    const stripped = writeMetadata('avif', file, {});
    assert.equal(contains(stripped, 'Pixel 4a') || contains(stripped, 'xmpmeta'), false);
    // Frames start with a temporal delimiter. The chunk offsets of both tracks must still point at one.
    const buffer = Buffer.from(stripped);
    const first = buffer.indexOf('stco');
    const offsets = [first, buffer.indexOf('stco', first + 4)];
    for (const at of offsets) {
      const chunkAt = buffer.readUInt32BE(at + 12);
      assert.deepEqual([...stripped.subarray(chunkAt, chunkAt + 2)], [0x12, 0]);
    }
  });

  const DATA = Buffer.from('secret');
  function withItem(file: Uint8Array, id: number, type: string, reference: string, to: number): Uint8Array {
    return withItems(
      file,
      (meta, offset) => ({
        ...meta,
        items: [
          ...meta.items,
          {
            id,
            type,
            contentType: '',
            entry: entry(id, type),
            source: 'file',
            extents: [{ offset, length: DATA.length }],
          },
        ],
        references: [...meta.references, { type: reference, from: id, to: [to] }],
      }),
      DATA,
    );
  }

  it('removes thumbnails, further images and unknown items', async () => {
    const file = await withoutMetadata('avif');
    for (const [type, reference] of [
      ['av01', 'thmb'],
      ['av01', 'none'],
      ['uri ', 'cdsc'],
    ] as const) {
      const dressed = withItem(file, 9, type, reference, 1);
      assert.deepEqual(await pixels(dressed), await pixels(file));
      const stripped = writeMetadata('avif', dressed, {});
      assert.equal(contains(stripped, 'secret'), false);
      assert.deepEqual(stripped, writeMetadata('avif', file, {}));
    }
  });

  it('does not read an item that repeats the file again and again', async () => {
    const whole = { offset: 0, length: 500 };
    const file = withItems(
      await withoutMetadata('avif'),
      (meta) => {
        const extents = Array.from({ length: 60_000 }, () => whole);
        const item = {
          id: 9,
          type: 'mime',
          contentType: '',
          entry: entry(9, 'mime'),
          source: 'file' as const,
          extents,
        };
        return { ...meta, items: [...meta.items, item] };
      },
      new Uint8Array(0),
    );
    assert.equal(readMetadata('avif', file).xmp, undefined);
    assert.deepEqual(writeMetadata('avif', file, {}), writeMetadata('avif', await withoutMetadata('avif'), {}));
  });

  it('ignores the XMP that describes another item', async () => {
    const file = withItem(await withoutMetadata('avif'), 9, 'av01', 'auxl', 1);
    assert.equal(readMetadata('avif', withItem(file, 10, 'mime', 'cdsc', 9)).xmp, undefined);
    assert.deepEqual(Buffer.from(readMetadata('avif', withItem(file, 10, 'mime', 'cdsc', 1)).xmp!), DATA);
  });

  it('puts the profile before the transformations, as readers expect', { skip: corpusSkipReason }, async () => {
    const { icc } = readMetadata('avif', await withMetadata('avif'));
    const written = writeMetadata('avif', corpus('avif/libavif--abc_color_irot_alpha_irot.avif')!, { icc: icc! });
    const { primary, associations } = metaOf(written);
    assert.deepEqual(
      associations.get(primary)!.map(({ property }) => propertyType(property)),
      ['ispe', 'pixi', 'av1C', 'colr', 'colr', 'irot'],
    );
  });

  it('gives new items no id that a group already has', async () => {
    const groups = box('grpl', box('altr', VERSION_0, hex('00000002 00000001 00000001')));
    const file = withItems(await withoutMetadata('avif'), (meta) => ({ ...meta, groups }), new Uint8Array(0));
    const { items } = metaOf(writeMetadata('avif', file, { xmp: Buffer.from(XMP) }));
    assert.deepEqual(
      items.map(({ id, type }) => [id, type]),
      [
        [1, 'av01'],
        [3, 'mime'],
      ],
    );
  });

  it('removes metadata, times and profiles from a movie, and moves its chunks', async () => {
    const file = await withoutMetadata('avif');
    const profile = box('colr', Buffer.from('prof'), Buffer.from('profile'));
    const cicp = box('colr', Buffer.from('nclx'), hex('0001000d000680'));
    const sample = box('av01', Buffer.alloc(78), cicp, profile);
    const movie = (frameAt: number, secretAt: number) => {
      const offset = (at: number) => at.toString(16).padStart(8, '0');
      const table = box(
        'stbl',
        box('stsd', VERSION_0, hex('00000001'), sample),
        box('stco', VERSION_0, hex(`00000001 ${offset(frameAt)}`)),
        box('co64', VERSION_0, hex(`00000001 00000000 ${offset(frameAt)}`)),
      );
      const location = box('iloc', hex(`00000000 4400 0001 0001 0000 0001 ${offset(secretAt)} 00000006`));
      const track = box('trak', box('meta', VERSION_0, location), box('mdia', box('minf', table)), box('udta', DATA));
      return box('moov', box('mvhd', VERSION_0, hex('11111111 22222222 33333333')), track);
    };
    const dataAt = file.length + movie(0, 0).length + 8;
    const whole = Buffer.concat([file, movie(dataAt + 6, dataAt), box('mdat', DATA, Buffer.from('frame'))]);

    const stripped = Buffer.from(writeMetadata('avif', whole, {}));
    assert.equal(contains(stripped, 'secret') || contains(stripped, 'profile'), false);
    assert.equal(contains(stripped, hex('11111111')) || contains(stripped, hex('22222222')), false);
    assert.equal(contains(stripped, hex('33333333')) && contains(stripped, cicp), true);
    for (const at of [stripped.indexOf('stco') + 12, stripped.indexOf('co64') + 16]) {
      const frameAt = stripped.readUInt32BE(at);
      assert.equal(stripped.toString('latin1', frameAt, frameAt + 5), 'frame');
    }
    assert.equal(contains(writeMetadata('avif', whole, { icc: new Uint8Array(4) }), 'profile'), true);
  });
});
