/** Writes the measured decisions as a document. */
import { alignTable } from '../report.ts';
import type { Decision } from './candidates.ts';
import { type Sample, summarise } from './summary.ts';

export interface MeasuredDecision {
  decision: Decision;
  candidates: { name: string; chosen: boolean; samples: Sample[] /** Why there are no samples. */; error?: string }[];
}

/** Quality whose figures represent a candidate in the table by image. */
const TYPICAL_QUALITY = 75;

const INTRODUCTION = `# The encoders and their settings

Which encoder writes which format, with which settings, and why. Written by \`npm run bench:encoders\`; the reasons stand
in [encoders/candidates.ts](encoders/candidates.ts), the settings in use in [../codecs](../codecs).

- **ms** is processor time: the geometric mean over all images and qualities, the fastest of several runs, from samples
  in libvips' memory to the file.
- **bytes** are relative to the chosen line, at the same similarity (MS-SSIM of luma and colour), interpolated between the
  qualities tried: equal quality numbers of two encoders say nothing. A dash stands where the two never reach the same
  similarity.
- The second table shows single images, 1 MP each, at quality ${TYPICAL_QUALITY}: kilobytes and similarity.`;

export function writeDocument(
  decisions: readonly MeasuredDecision[],
  images: readonly string[],
  caption: string,
): string {
  return `${[INTRODUCTION, caption, ...decisions.map((measured) => section(measured, images))].join('\n\n')}\n`;
}

function section({ decision, candidates }: MeasuredDecision, images: readonly string[]): string {
  const measured = candidates.filter(({ samples }) => samples.length > 0);
  const failures = candidates.flatMap(({ name, error }) =>
    error === undefined ? [] : `${name} failed: ${error.split('\n', 1)[0]}`,
  );
  if (!measured.some(({ chosen }) => chosen)) return [`## ${decision.title}`, ...failures].join('\n\n');

  const lines = summarise(measured, decision.lossless);
  const beaten = lines.flatMap(({ beatenBy }) => beatenBy);
  const verdict = beaten.length === 0 ? [] : [`Both faster and smaller than the choice here: ${beaten.join('; ')}.`];
  const summary = alignTable([
    ['', 'ms', 'bytes'],
    ...lines.map(({ name, chosen, ms, relativeBytes, exact }) => [
      `${chosen ? `**${name}**` : name}${decision.lossless && !exact ? ' (not lossless)' : ''}`,
      ms.toFixed(0),
      relativeBytes === undefined ? '–' : relativeBytes.toFixed(2),
    ]),
  ]);
  const shown = images.filter((image) => measured[0]!.samples.some((sample) => sample.image === image));
  const details = alignTable([
    ['', ...shown],
    ...measured.map(({ name, samples }) => [name, ...shown.map((image) => detail(image, samples, decision.lossless))]),
  ]);
  return [`## ${decision.title}`, decision.reason, ...verdict, summary, ...failures, details].join('\n\n');
}

function detail(image: string, samples: readonly Sample[], lossless: boolean): string {
  const own = samples.filter((sample) => sample.image === image);
  const sample = own.find(({ quality }) => quality === TYPICAL_QUALITY) ?? own[0];
  if (!sample) return '–';
  const kilobytes = (sample.bytes / 1000).toFixed(1);
  return lossless ? kilobytes : `${kilobytes} · ${sample.similarity.toFixed(4)}`;
}
