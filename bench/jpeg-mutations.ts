/**
 * `npm run bench:jpeg-mutations -- --count N --seed N`: damaged JPEG files through the decoder and the writer of the JPEG codec, compiled
 * with a check before every access to memory. Ends with 1 at the first file with which it reads or writes outside of its blocks, or makes
 * another picture of what it has written.
 */
import { parseArgs } from 'node:util';
import { JpegCodec } from '../codecs/jpeg/codec.ts';
import { damagedJpegs, readDamaged, smallJpegs } from '../test/codecs/jpeg/damaged.ts';
import { checkedModule } from '../test/support/checked-module.ts';

const { values } = parseArgs({ options: { count: { type: 'string' }, seed: { type: 'string' } } });
const count = Number(values.count ?? 10_000);
const seed = Number(values.seed ?? 1);

const { module, imports } = await checkedModule('codecs/jpeg/assembly');
const codec = new JpegCodec(module, imports);
const read = { files: 0, decoded: 0, recoded: 0 };
for (const file of damagedJpegs(await smallJpegs(), count, seed)) {
  const { isDecoded, isRecoded } = readDamaged(codec, file);
  read.files += 1;
  read.decoded += Number(isDecoded);
  read.recoded += Number(isRecoded);
}
console.log(`${read.files} files: ${read.decoded} decoded, ${read.recoded} written again, none outside of its blocks`);
