/**
 * Runs `ocr` in the worker: opens the image, finds background and letters, reads the text, and returns the position of
 * each word.
 */

import type { Header } from '../../../codecs/decoded-image.ts';
import { instantiateTracked } from '../../../codecs/memory.ts';
import { largestShrink } from '../../../codecs/shrink.ts';
import type { Models } from '../../../models/runtime.ts';
import { type GreyImage, type ReadOptions, type ReadWord, TextReader } from '../../../models/text.ts';
import type { TextLanguage } from '../../../models/text-languages.ts';
import type { WorkerContext } from '../../context.ts';
import type { Warning } from '../../result.ts';
import { retryTruncated } from '../retry-truncated.ts';
import { openStill } from '../still.ts';
import { joinBackgrounds } from './background-regions.ts';
import { type OcrInput, ocr } from './definition.ts';
import { toGrey } from './grey.ts';
import { levelBackground } from './illumination.ts';
import { languagesOf } from './params.ts';
import type { OcrResult } from './record.ts';
import { textOf } from './text.ts';
import { readUpright } from './upright.ts';

/** Text with less confidence gets a warning. Plainly printed text has 85 and more, other scripts and drawings less. */
const MIN_CONFIDENCE = 65;
/** Larger images are decoded at a smaller size if the decoder can shrink. */
const MAX_DECODED_PIXELS = 40_000_000;
/** Pages and vector images have no pixel size. They are rendered at a size at which small letters are readable. */
const RENDERED_SIDE = 3000;

/** The reader of this worker. */
let reader: Promise<TextReader> | undefined;

/** @throws Failure as for `openStill` */
export async function run(context: WorkerContext, { image, params }: OcrInput): Promise<OcrResult> {
  const started = performance.now();
  const opened = await retryTruncated(context.vips, image, async (tolerant) => {
    const { frame, source, warnings } = await openStill(context, image, {
      estimate: ocr.estimate,
      page: params.page,
      tolerant,
      shrink,
      scale,
    });
    return { grey: toGrey(frame), source, warnings };
  });
  const decodedAt = performance.now();

  const { grey, source } = opened;
  const languages = languagesOf(params);
  if (!joinBackgrounds(grey)) levelBackground(grey);
  const words = await readUpright(context.vips, grey, (page, options) =>
    readWith(context.models, page, languages, options),
  );
  const { text, confidence, placed } = textOf(words, grey, source);
  const warnings: Warning[] = confidence < MIN_CONFIDENCE && text !== '' ? ['low_confidence'] : [];
  return {
    record: {
      text,
      confidence,
      languages,
      width: source.width,
      height: source.height,
      ...(params.words ? { words: placed } : {}),
      warnings: [...opened.warnings, ...warnings],
    },
    phases: { decode: decodedAt - started, process: performance.now() - decodedAt, encode: 0 },
  };
}

const shrink = ({ width, height }: Header) => largestShrink(Math.sqrt((width * height) / MAX_DECODED_PIXELS));

const scale = ({ width, height }: Header) => Math.max(1, RENDERED_SIDE / Math.max(width, height));

/** @throws Error if Tesseract fails; the next image gets a new instance */
async function readWith(
  models: Models,
  image: GreyImage,
  languages: readonly TextLanguage[],
  options: ReadOptions,
): Promise<ReadWord[]> {
  try {
    reader ??= TextReader.start(instantiateTracked);
    const words = await (await reader).read(image, languages, options);
    for (const language of languages) models.note(language, 'loaded');
    return words;
  } catch (error) {
    reader = undefined;
    for (const language of languages) models.note(language, 'failed');
    // Wrapped, because a WebAssembly trap here is not the fault of the file.
    throw new Error('Tesseract failed', { cause: error });
  }
}
