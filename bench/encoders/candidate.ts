/** A process that measures one candidate on all its images. */
import sharp from 'sharp';
import { compileModules } from '../../codecs/modules.ts';
import { type Image, startVips } from '../../codecs/vips.ts';
import { answer } from '../fresh-process.ts';
import { type Decoded, decodeFile, scoreOf, toRgb } from '../score.ts';
import { type Candidate, DECISIONS, type Decision } from './candidates.ts';
import type { ImageFile } from './images.ts';
import type { Sample } from './summary.ts';

export interface CandidateOrder {
  decision: string;
  candidate: string;
  images: ImageFile[];
}

/** An encoding is repeated until it has taken this time, but at most MAX_RUNS times; the fastest run counts. */
const MIN_TOTAL_MS = 1000;
const MAX_RUNS = 5;

await answer(async ({ decision: title, candidate: name, images }: CandidateOrder): Promise<Sample[]> => {
  const decision = DECISIONS.find((each) => each.title === title)!;
  const candidate = decision.candidates.find((each) => each.name === name)!;
  const modules = await compileModules();
  const { vips } = await startVips(modules);

  async function load({ path }: ImageFile): Promise<{ image: Image; reference: Decoded }> {
    const { data, info } = await sharp(path).raw().toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    const image = vips.Image.newFromMemory(data, width, height, channels, 'uchar' as never);
    return {
      image: image.copy({ interpretation: 'srgb' }),
      reference: await toRgb(sharp(data, { raw: { width, height, channels } })),
    };
  }

  const samples: Sample[] = [];
  for (const source of images) {
    const { image, reference } = await load(source);
    for (const quality of decision.qualities) {
      const { file, ms } = await fastest(() => candidate.encode(image, quality, { vips, modules }));
      samples.push({ image: source.name, quality, ms, ...(await judge(file, reference, decision)) });
    }
  }
  return samples;
});

async function fastest(encode: () => ReturnType<Candidate['encode']>): Promise<{ file: Buffer; ms: number }> {
  let file = Buffer.alloc(0);
  let ms = Number.POSITIVE_INFINITY;
  for (let run = 0, spent = 0; run < MAX_RUNS && spent < MIN_TOTAL_MS; run++) {
    const before = process.cpuUsage();
    const encoded = await encode();
    const { user, system } = process.cpuUsage(before);
    const took = (user + system) / 1000;
    file = Buffer.from(encoded);
    ms = Math.min(ms, took);
    spent += took;
  }
  return { file, ms };
}

async function judge(
  file: Buffer,
  reference: Decoded,
  { format, lossless }: Decision,
): Promise<Pick<Sample, 'bytes' | 'similarity' | 'exact'>> {
  const decoded = await decodeFile(format, file);
  return {
    bytes: file.length,
    similarity: lossless ? 1 : scoreOf(reference, decoded).similarity,
    exact: decoded.data.equals(reference.data),
  };
}
