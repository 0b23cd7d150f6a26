/** Declares the parameters of `ocr`. Main-thread safe. */
import { z } from 'zod';
import { described } from '../../../base/described.ts';
import { invalidParameter } from '../../../base/failure.ts';
import { TEXT_LANGUAGES, type TextLanguage } from '../../../models/text-languages.ts';

const CODES = Object.keys(TEXT_LANGUAGES).join('|');

export const ocrParams = z.strictObject({
  lang: z
    .string()
    .regex(new RegExp(`^(${CODES})(,(${CODES}))*$`))
    .default('eng')
    .meta({
      'x-form': `one or more of ${CODES.replaceAll('|', ', ')}, separated by commas without spaces`,
      description:
        'Languages of the text, each once, separated by commas, in any order. A language that is not there costs time and makes mistakes.',
      examples: ['eng', 'slv,eng'],
    }),
  words: described(z.boolean().default(false), 'Also list every word with its confidence and its place.', true),
});
export type OcrParams = z.output<typeof ocrParams>;

/** @throws Failure 400 `invalid_parameter` if a language is named twice */
export function checkOcrParams({ lang }: OcrParams): void {
  if (new Set(lang.split(',')).size < lang.split(',').length)
    throw invalidParameter('each language once', 'lang', lang);
}

/** Parses the languages of a valid `lang`. */
export const languagesOf = ({ lang }: OcrParams): TextLanguage[] => lang.split(',') as TextLanguage[];
