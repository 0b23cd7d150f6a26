/**
 * `npm run bench:jpeg-mutations -- --count N --seed N`: runs damaged JPEG files through the decoder and the encoder of
 * the JPEG codec, compiled with a check before every memory access. Exits with 1 at the first file with which the codec
 * accesses memory outside of its blocks, or decodes its own output to a different image.
 */
import { parseArgs } from 'node:util';
import { JpegCodec } from '../codecs/jpeg/codec.ts';
import { damagedJpegs, exerciseCodec, smallJpegs } from '../test/codecs/jpeg/damaged.ts';
import { checkedModule } from '../test/support/checked-module.ts';

const { values } = parseArgs({ options: { count: { type: 'string' }, seed: { type: 'string' } } });
const count = Number(values.count ?? 10_000);
const seed = Number(values.seed ?? 1);

const { module, imports } = await checkedModule('codecs/jpeg/assembly');
const codec = new JpegCodec(module, imports);
const read = { files: 0, decoded: 0, recoded: 0 };
for (const file of damagedJpegs(await smallJpegs(), count, seed)) {
  const { isDecoded, isRecoded } = exerciseCodec(codec, file);
  read.files += 1;
  read.decoded += Number(isDecoded);
  read.recoded += Number(isRecoded);
}
console.log(`${read.files} files: ${read.decoded} decoded, ${read.recoded} written again, none outside of its blocks`);
