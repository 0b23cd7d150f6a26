/** The JPEG decoder compared with libjpeg-turbo, as built into sharp. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sharp from 'sharp';
import { JpegCodec } from '../../../codecs/jpeg/codec.ts';
import { decodeJpeg, type JpegPixels } from '../../../codecs/jpeg/decode.ts';
import { compileModule, type Modules } from '../../../codecs/modules.ts';
import { startVips } from '../../../codecs/vips.ts';
import { corpus, corpusFiles, corpusSkipReason } from '../../support/corpus.ts';
import { writeWithMagick } from '../../support/magick-writer.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { pattern, type RawImage, sharpOf } from '../../support/test-images.ts';

const SIZES = [
  [1, 1],
  [3, 2],
  [8, 8],
  [15, 17],
  [50, 33],
  [130, 65],
] as const;
/** Values of ImageMagick's `sampling-factor`: how many image samples one chroma sample covers, across and down. */
const SAMPLINGS = ['1x1', '2x1', '1x2', '2x2', '4x1', '4x2', '1x4', '2x4'];

let modules: Pick<Modules, 'vips'>;
let codec: JpegCodec;

/** Decodes a file with sharp, without applying its profile. */
async function reference(file: Uint8Array): Promise<RawImage> {
  const { channels } = await sharp(file).metadata();
  const image = sharp(file, { failOn: 'none', ignoreIcc: true });
  const own = channels === 1 ? image.toColourspace('b-w') : image;
  const { data, info } = await own.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels };
}

function decoded(file: Uint8Array, request?: Parameters<typeof decodeJpeg>[2]): JpegPixels {
  const pixels = decodeJpeg(codec, file, request);
  assert.ok(pixels, 'not decoded');
  return pixels;
}

async function assertSame(file: Uint8Array, name: string): Promise<void> {
  const [own, { data, width, height, channels }] = [decoded(file), await reference(file)];
  assert.deepEqual([own.width, own.height, own.bands], [width, height, channels], name);
  assert.equal(
    data.findIndex((value, index) => value !== own.data[index]),
    -1,
    name,
  );
}

/** Returns the mean and the largest difference. */
function differences(one: Uint8Array, other: Uint8Array): { mean: number; max: number } {
  assert.equal(one.length, other.length);
  let [sum, max] = [0, 0];
  for (const [index, value] of one.entries()) {
    const difference = Math.abs(value - other[index]!);
    sum += difference;
    max = Math.max(max, difference);
  }
  return { mean: sum / one.length, max };
}

describe('decodeJpeg', () => {
  before(async () => {
    const [jpeg, vips] = await Promise.all([compileModule('jpeg'), compileModule('vips')]);
    modules = { vips };
    codec = new JpegCodec(jpeg);
  });

  it('decodes real files exactly as libjpeg-turbo does', { skip: corpusSkipReason }, async () => {
    const files = corpusFiles('jpeg').filter((path) => !NOT_DECODED.has(path.replace(/^jpeg\//, '')));
    assert.ok(files.length > 40);
    for (const path of files) {
      const file = corpus(path)!;
      if (!(file[0] === 0xff && file[1] === 0xd8)) continue;
      // sharp converts CMYK to RGB.
      if (decoded(file).bands !== 4) await assertSame(file, path);
    }
  });

  it('leaves other codings to other decoders', { skip: corpusSkipReason }, () => {
    for (const name of NOT_DECODED) assert.equal(decodeJpeg(codec, corpus(`jpeg/${name}`)!), undefined, name);
    for (const file of ['', '\xff\xd8', '\xff\xd8\xff\xd9', 'GIF89a'])
      assert.equal(decodeJpeg(codec, Buffer.from(file, 'latin1')), undefined);
  });

  it('decodes every sampling and size, sequential and progressive', async () => {
    const cases = SAMPLINGS.flatMap((sampling) =>
      SIZES.flatMap(([width, height]) =>
        [false, true].map((progressive) => ({ sampling, width, height, progressive })),
      ),
    );
    const files = await writeWithMagick(
      cases.map(({ sampling, width, height, progressive }) => ({
        format: 'JPEG',
        frames: [{ ...pattern(width, height), channels: 3 }],
        defines: { 'sampling-factor': sampling },
        progressive,
      })),
    );
    for (const [index, file] of files.entries()) await assertSame(file, JSON.stringify(cases[index]));
  });

  it('decodes grey and restart intervals', async () => {
    const grey = await sharpOf(pattern(61, 47)).toColourspace('b-w').jpeg({ progressive: true }).toBuffer();
    await assertSame(grey, 'grey');
    const { vips } = await startVips(modules);
    const { data, width, height } = pattern(200, 130);
    const image = vips.Image.newFromMemory(data, width, height, 3, vips.BandFormat.uchar);
    for (const restart_interval of [1, 5, 100])
      for (const interlace of [false, true]) {
        const file = image.copy({ interpretation: 'srgb' }).jpegsaveBuffer({ restart_interval, interlace });
        assert.ok(Buffer.from(file).includes(Buffer.of(0xff, 0xd0)));
        await assertSame(file, `${restart_interval} ${interlace}`);
      }
  });

  it('decodes a part of a file that ends early, or is damaged between restart markers', async () => {
    const { vips } = await startVips(modules);
    const { data, width, height } = pattern(200, 130);
    const image = vips.Image.newFromMemory(data, width, height, 3, vips.BandFormat.uchar).copy({
      interpretation: 'srgb',
    });
    for (const restart_interval of [0, 6]) {
      const file = image.jpegsaveBuffer({ restart_interval });
      for (const share of [0.4, 0.6, 0.9]) {
        const cut = file.subarray(0, Math.floor(file.length * share));
        assert.equal(decoded(cut).truncated, true);
        await assertSame(cut, `${restart_interval} ${share}`);
      }
    }
    const file = Buffer.from(image.jpegsaveBuffer({ restart_interval: 6 }));
    assert.equal(decoded(file).truncated, false);
    const third = file.indexOf(Buffer.of(0xff, 0xd2));
    // One file lacks the marker; the other has an additional one with another number.
    await assertSame(Buffer.concat([file.subarray(0, third), file.subarray(third + 2)]), 'missing');
    await assertSame(Buffer.concat([file.subarray(0, third), Buffer.of(0xff, 0xd5), file.subarray(third)]), 'other');
  });

  it('decodes at 1/2, 1/4 and 1/8 of the size exactly as libjpeg does', {
    skip: corpusSkipReason || nightlyOnly,
  }, async () => {
    const { vips } = await startVips(modules);
    for (const path of corpusFiles('jpeg')) {
      const file = corpus(path)!;
      const whole = decodeJpeg(codec, file);
      // libvips inverts CMYK, and drops partial pixels at the right and bottom edges.
      if (!whole || whole.bands === 4) continue;
      for (const shrink of [2, 4, 8].filter((each) => each <= Math.min(whole.width, whole.height))) {
        const image = vips.Image.jpegloadBuffer(file, { shrink, fail_on: 'none' });
        const { width, height } = image;
        const region = { left: 0, top: 0, width, height };
        const own = decoded(file, { eighths: 8 / shrink, region });
        assert.deepEqual(differences(own.data, image.writeToMemory() as Uint8Array), { mean: 0, max: 0 }, path);
      }
    }
  });

  it('decodes at other scales like the average of the whole image', { skip: corpusSkipReason }, async () => {
    const file = corpus('jpeg/testdata--flower.png.im_q85_420_progr.jpg')!;
    const { data, width, height } = decoded(file);
    for (const eighths of [3, 5, 6, 7]) {
      const own = decoded(file, { eighths });
      const averaged = await sharp(data, { raw: { width, height, channels: 3 } })
        .resize(own.width, own.height, { fit: 'fill', kernel: 'lanczos3' })
        .raw()
        .toBuffer();
      const { mean } = differences(own.data, averaged);
      // sharp resizes with another filter. A wrong matrix would be off by more than 10.
      assert.ok(mean < 3, `${eighths}/8: ${mean}`);
    }
  });

  it('decodes a region as in the whole image', { skip: corpusSkipReason }, () => {
    for (const name of ['exif-samples--DSCN0010.jpg', 'image--progressive--3.jpg', 'pillow--hopper_gray.jpg']) {
      const file = corpus(`jpeg/${name}`)!;
      for (const eighths of [8, 4]) {
        const whole = decoded(file, { eighths });
        const [width, height] = [Math.floor(whole.width / 3), Math.floor(whole.height / 4)];
        const places = [
          [0, 0],
          [Math.floor(whole.width / 2) + 1, Math.floor(whole.height / 2) + 3],
          [whole.width - width, whole.height - height],
        ] as const;
        for (const [left, top] of places) {
          const part = decoded(file, { eighths, region: { left, top, width, height } });
          assert.deepEqual([part.width, part.height], [width, height]);
          const { bands } = whole;
          for (let row = 0; row < height; row += 1) {
            const start = ((top + row) * whole.width + left) * bands;
            const expected = whole.data.subarray(start, start + width * bands);
            const actual = part.data.subarray(row * width * bands, (row + 1) * width * bands);
            assert.ok(Buffer.from(expected).equals(Buffer.from(actual)), `${name} ${eighths} ${left},${top} ${row}`);
          }
        }
      }
    }
  });
});

/** 12-bit, JPEG-LS and lossless files. */
const NOT_DECODED: ReadonlySet<string> = new Set([
  'serenity--12-bit-progressive.jpg',
  'twelvemonkeys--gradient_ls.jpg',
  'twelvemonkeys--testimg_rgb.jpg',
]);
