/** Which results have all pages of their source. Main-thread safe. */
import type { Header } from '../../codecs/decoded-image.ts';
import { type InputFormat, isOutput, OUTPUTS, type OutputFormat } from '../../codecs/formats/registry.ts';

/** Whether results of this format have all pages of a source of the same format. */
export const hasPages = (format: InputFormat): boolean => isOutput(format) && 'pages' in OUTPUTS[format];

/**
 * Whether the result has all pages of its source.
 * @param page the page that the request names
 */
export const keepsPages = (
  { format, pages, animated }: Pick<Header, 'format' | 'pages' | 'animated'>,
  page: number | undefined,
  output: OutputFormat | 'auto',
): boolean =>
  page === undefined && pages > 1 && !animated && (output === 'auto' || output === format) && hasPages(format);
