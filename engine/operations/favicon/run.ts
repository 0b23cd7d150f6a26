/** Runs `favicon` in the worker: opens the image, makes every icon from it, packs them with the text files. */

import { formatOf, openSource } from '../../../codecs/read.ts';
import type { WorkerContext } from '../../context.ts';
import type { ZipResult } from '../definition.ts';
import { retryTruncated } from '../retry-truncated.ts';
import { BYTE_BITS, sourceWarnings } from '../source-warnings.ts';
import { openArtwork } from './artwork.ts';
import type { FaviconInput } from './definition.ts';
import { drawIcons, MAX_ICON_SIDE } from './icons.ts';
import { packIcons } from './pack.ts';
import { siteOf } from './texts.ts';

export const run = (context: WorkerContext, input: FaviconInput): Promise<ZipResult> =>
  retryTruncated(context.vips, input.image, (tolerant) => makePack(context, input, tolerant));

async function makePack(
  context: WorkerContext,
  { image, params }: FaviconInput,
  tolerant: boolean,
): Promise<ZipResult> {
  const started = performance.now();
  const bytes = new Uint8Array(image.data);
  const format = await formatOf(bytes, image.filename);
  const source = await openSource(context, { bytes, format, page: params.page, filename: image.filename });
  const artwork = await openArtwork(context, source, tolerant);
  const decodedAt = performance.now();

  const site = siteOf(params);
  const icons = await drawIcons(artwork, params.padding, {
    ...context,
    transparent: false,
    background: site.background,
  });
  const processedAt = performance.now();

  const { header } = source;
  const pack = packIcons(context, icons, site);
  return {
    ...pack,
    warnings: [
      ...(artwork.longerSide < MAX_ICON_SIDE ? (['source_small'] as const) : []),
      ...sourceWarnings({ header, page: params.page, converted: artwork.converted, depth: BYTE_BITS }),
    ],
    source: { format, bytes: bytes.length, width: header.width, height: header.height },
    phases: { decode: decodedAt - started, process: processedAt - decodedAt, encode: performance.now() - processedAt },
  };
}
