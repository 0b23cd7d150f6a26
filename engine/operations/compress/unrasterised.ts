/** Results that are not made from pixels: an SVG stays an SVG, and a document a document. */
import type { Header } from '../../../codecs/decoded-image.ts';
import type { WorkerContext } from '../../context.ts';
import type { ImageResult } from '../../result.ts';
import type { EncodingParams } from '../../steps/compress.ts';
import { compressDocument, staysDocument, type Unrasterised } from './document.ts';
import { staysDrawing } from './drawing/stays-svg.ts';

/** Whether the encoding needs no pixels, if no step does. @param page the page that the request names */
export const staysUnrasterised = (
  header: Pick<Header, 'format'>,
  params: EncodingParams,
  page: number | undefined,
): boolean => staysDrawing(header, params) || staysDocument(header, params, page);

/** @returns undefined if only a raster image can satisfy the request */
export async function compressUnrasterised(
  context: WorkerContext,
  file: Unrasterised,
): Promise<ImageResult | undefined> {
  if (!staysDrawing(file.source.header, file.params)) return await compressDocument(context, file);
  const { compressDrawing } = await import('./drawing/run.ts');
  return await compressDrawing(context, file);
}
