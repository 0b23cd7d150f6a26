/** The result of `ocr`. Declared once, for the type and for the documentation. */
import { z } from 'zod';
import type { Phases } from '../../result.ts';

const pixels = () => z.int().min(1);
const place = () => z.int().min(0);
const confidence = () => z.int().min(0).max(100);

const word = z
  .object({
    text: z.string().meta({ examples: ['Invoice'] }),
    confidence: confidence().meta({ examples: [96] }),
    x: place().meta({ description: 'Of the left edge, in pixels of the picture as displayed.', examples: [24] }),
    y: place().meta({ description: 'Of the upper edge.', examples: [52] }),
    width: pixels().meta({ examples: [81] }),
    height: pixels().meta({ examples: [18] }),
    line: pixels().meta({ description: 'Number of its line, from 1 in the order of reading.', examples: [2] }),
  })
  .meta({ id: 'RecognisedWord' });

export const recognition = z
  .object({
    text: z.string().meta({
      description: 'Lines end in a line feed, paragraphs in two. Empty when there is no text.',
      examples: ['Invoice 2048\ntotal $1,356.90'],
    }),
    confidence: confidence().meta({
      description: 'Mean over the characters; 0 when there is no text.',
      examples: [95],
    }),
    languages: z.array(z.string()).meta({ description: 'Those that were tried, as asked.', examples: [['eng']] }),
    width: pixels().meta({ description: 'As displayed.', examples: [1240] }),
    height: pixels().meta({ description: 'As displayed.', examples: [1754] }),
    words: z.array(word).optional().meta({ description: 'With `words=true`, in the order of reading.' }),
    warnings: z.array(z.string()).meta({ description: 'As in X-IC-Warnings.', examples: [[]] }),
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
