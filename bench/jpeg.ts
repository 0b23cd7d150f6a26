/**
 * `npm run bench:jpeg`: processor time of the JPEG codec (codecs/jpeg) compared with sharp, in one process and one
 * thread, the minimum of several runs. Inputs are photographs that sharp makes from those in the folder
 * `../shared/corpus/dev/jpeg`.
 */
import { readFileSync } from 'node:fs';
import sharp, { type JpegOptions } from 'sharp';
import { JpegCodec } from '../codecs/jpeg/codec.ts';
import { decodeJpeg } from '../codecs/jpeg/decode.ts';
import { encodeJpeg, type JpegSettings } from '../codecs/jpeg/encode.ts';
import { recodeJpeg } from '../codecs/jpeg/recode.ts';
import { requantizeJpeg, UPRIGHT } from '../codecs/jpeg/requantize.ts';
import { compileModule } from '../codecs/modules.ts';
import { minProcessorTime } from './min-processor-time.ts';

const FOLDER = new URL('../../shared/corpus/dev/jpeg/', import.meta.url);
const SOURCES = ['testdata--flower.png.im_q85_420_progr.jpg', 'exif-samples--canon_hdr_NO.jpg'];
const [WIDTH, HEIGHT] = [2720, 2224];
const RUNS = 15;

sharp.concurrency(1);
sharp.cache(false);
const codec = new JpegCodec(await compileModule('jpeg'));

for (const name of SOURCES) {
  const source = sharp(readFileSync(new URL(name, FOLDER))).resize(WIDTH, HEIGHT, { fit: 'fill' });
  const data = await source.clone().toColourspace('srgb').removeAlpha().raw().toBuffer();
  const pixels = { width: WIDTH, height: HEIGHT } as const;
  const encode = (settings: Pick<JpegSettings, 'quality' | 'trellis' | 'coding'>) =>
    encodeJpeg(codec, { data, ...pixels, bands: 3 }, { sampling: '420', ...settings });
  const sharpEncode = (options: JpegOptions) =>
    sharp(data, { raw: { ...pixels, channels: 3 } })
      .jpeg({ chromaSubsampling: '4:2:0', ...options })
      .toBuffer();
  const best = await source.clone().jpeg({ quality: 95 }).toBuffer();
  for (const quality of [75, 90]) {
    const file = await source.clone().jpeg({ quality, optimizeCoding: false }).toBuffer();
    const part = (eighths: number) => ({
      own: () => decodeJpeg(codec, file, { eighths }),
      sharp: () =>
        sharp(file)
          .resize(Math.ceil((WIDTH * eighths) / 8), Math.ceil((HEIGHT * eighths) / 8))
          .raw()
          .toBuffer(),
    });
    const works: Record<string, { own: () => unknown; sharp?: () => unknown }> = {
      decode: { own: () => decodeJpeg(codec, file), sharp: () => sharp(file).raw().toBuffer() },
      'decode at 4/8': part(4),
      'decode at 3/8': part(3),
      encode: {
        own: () => encode({ quality, trellis: false, coding: 'sequential' }),
        sharp: () => sharpEncode({ quality, quantisationTable: 3 }),
      },
      'encode, trellis and sequential': {
        own: () => encode({ quality, trellis: true, coding: 'sequential' }),
        sharp: () => sharpEncode({ quality, mozjpeg: true }),
      },
      'encode, trellis and progressive': {
        own: () => encode({ quality, trellis: true, coding: 'sampled' }),
        sharp: () => sharpEncode({ quality, mozjpeg: true }),
      },
      'requantize a file of quality 95': {
        own: () => requantizeJpeg(codec, best, { turn: UPRIGHT, quality, coding: () => 'sampled' }),
        sharp: () => sharp(best).jpeg({ quality, mozjpeg: true }).toBuffer(),
      },
      're-code without loss': { own: () => recodeJpeg(codec, file) },
    };
    console.log(`${name} at ${WIDTH} x ${HEIGHT}, quality ${quality}, ${file.length} bytes`);
    for (const [work, { own, sharp: theirs }] of Object.entries(works)) {
      const [least, peer] = await minProcessorTime([own, theirs ?? (() => undefined)], RUNS);
      const ratio = theirs ? `, sharp ${peer!.toFixed(1)} ms: ${(least! / peer!).toFixed(2)}` : '';
      console.log(`  ${work}: ${least!.toFixed(1)} ms${ratio}`);
    }
    console.log(
      `  re-coded: ${((recodeJpeg(codec, file)?.length ?? file.length) / file.length).toFixed(3)} of the bytes`,
    );
  }
}
