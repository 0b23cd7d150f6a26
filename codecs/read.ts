/** Opens a file: recognises its format, checks the limits against its header, and returns a source of its pixels. */
import { sizeOf } from './dimensions.ts';
import { imageTooLarge, unsupportedFormat } from './errors.ts';
import { extensionOf } from './file-extension.ts';
import type { ReaderContext } from './format-reader.ts';
import type { InputFormat } from './formats/registry.ts';
import { MAX_WEBP_FRAMES } from './formats/webp/size.ts';
import { checkHeifItems } from './heif/items.ts';
import { checkJpegScans, DEFAULT_MAX_JPEG_SCANS } from './jpeg-scans.ts';
import { LOADERS } from './loaders.ts';
import { imagesOf } from './mpf.ts';
import { checkPngData } from './png/rows.ts';
import { openReaderSource } from './reader-source.ts';
import { FALLBACK_READERS, READERS } from './readers.ts';
import { sniff } from './sniff.ts';
import type { Source } from './source.ts';
import { checkTiffPages } from './tiff-tags.ts';
import { openVipsSource } from './vips-source.ts';

/** One page of a file whose format is known. */
export interface SourcePage {
  bytes: Uint8Array;
  format: InputFormat;
  /** 1-based. */
  page: number;
  /** The name of the uploaded file. */
  filename?: string | undefined;
}

/**
 * Returns the format of a file, from its content or, if the format has no signature, from its name.
 * @throws Failure `unsupported_format`
 */
export async function formatOf(bytes: Uint8Array, filename?: string): Promise<InputFormat> {
  const common = sniff(bytes);
  if (common) return common;
  // Imported when needed, so that a worker that sees only web formats does not load it.
  const { recognise } = await import('./recognise.ts');
  const recognised = recognise(bytes, filename);
  if (recognised && 'format' in recognised) return recognised.format;
  throw unsupportedFormat(recognised?.unsupported);
}

/**
 * Reads the header of one page.
 * @throws Failure `corrupt_image`, `image_too_large`, `page_out_of_range`, `password_protected`, `unsupported_format`
 */
export async function openSource(context: ReaderContext, source: SourcePage): Promise<Source> {
  const { bytes, format, page, filename } = source;
  if (format === 'jpeg') {
    const limit = context.limits?.jpegScans ?? DEFAULT_MAX_JPEG_SCANS;
    checkJpegScans(imagesOf(bytes)[page - 1] ?? bytes, limit);
  }
  if (format === 'webp') checkWebpHeader(bytes, context.limits?.decodedPixels);
  if (format === 'tiff') checkTiffPages(bytes);
  if (format === 'avif' || format === 'heic') checkHeifItems(bytes);
  if (format === 'png') checkPngData(bytes);
  const loader = LOADERS[format];
  const exception = FALLBACK_READERS[format];
  const isException = exception?.applies(bytes, page) ?? false;
  if (loader && !isException) return openVipsSource(context, loader, bytes, format, page);
  const lazy = isException ? exception?.reader : READERS[format];
  if (!lazy) throw unsupportedFormat(format);
  const reader = await lazy();
  return openReaderSource(context, reader, bytes, format, { page, extension: extensionOf(filename) }, (file) =>
    openSource(context, { ...file, page: 1 }),
  );
}

/**
 * Checks the header before libvips reads it and allocates the canvas.
 * @throws Failure `image_too_large`
 */
function checkWebpHeader(bytes: Uint8Array, maxPixels = Number.POSITIVE_INFINITY): void {
  const { width, height, frames = 1 } = sizeOf(bytes, 'webp') ?? { width: 0, height: 0 };
  if (width * height > maxPixels) throw imageTooLarge(`${maxPixels} pixels`, `${width} x ${height} pixels`);
  if (frames > MAX_WEBP_FRAMES) throw imageTooLarge(`${MAX_WEBP_FRAMES} frames`, `${frames} frames`);
}
