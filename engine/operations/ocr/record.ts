/** The result of `ocr`. Declared once, for the type and for the documentation. */
import { z } from 'zod';
import { described } from '../../../base/described.ts';
import { printable } from '../../../base/printable.ts';
import type { Phases } from '../../result.ts';

const pixels = () => z.int().min(1);
const place = () => z.int().min(0);
const confidence = () => z.int().min(0).max(100);

const word = z
  .object({
    text: z.string().meta({ examples: ['Invoice'] }),
    confidence: confidence().meta({ examples: [96] }),
    x: described(place(), 'Of the left edge, in pixels of the image as displayed.', 24),
    y: described(place(), 'Of the upper edge.', 52),
    width: pixels().meta({ examples: [81] }),
    height: pixels().meta({ examples: [18] }),
    line: described(pixels(), 'Number of its line, from 1 in the order of reading.', 2),
  })
  .meta({ id: 'RecognisedWord' });

export const recognition = z
  .object({
    text: described(
      z.string(),
      'Lines end in a line feed, paragraphs in two. Empty when there is no text.',
      'Invoice 2048\ntotal $1,356.90',
    ),
    confidence: described(confidence(), 'Mean over the characters; 0 when there is no text.', 95),
    languages: described(z.array(z.string()), 'Those that were tried, as asked.', ['eng']),
    width: described(pixels(), 'As displayed.', 1240),
    height: described(pixels(), 'As displayed.', 1754),
    words: described(z.array(word).optional(), 'With `words=true`, in the order of reading.'),
    warnings: described(z.array(z.string()), 'As in X-IC-Warnings.', []),
    duration_ms: place().meta({ examples: [812] }),
  })
  .meta({ id: 'Recognition' });

export type RecognisedWord = z.output<typeof word>;

/** The worker's part of the result; the caller adds the duration. */
export type Recognised = Omit<z.output<typeof recognition>, 'duration_ms'>;

export interface OcrResult {
  record: Recognised;
  phases: Phases;
}

export function ocrText({ text }: Recognised): string {
  const lines = text.replace(/\n+$/, '').split('\n').map(printable);
  return `${lines.join('\n')}\n`;
}
