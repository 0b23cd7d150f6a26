/** Opens a file: recognises its format, checks the limits against its header, and returns a source of its pixels. */
import { openAnimation } from './animation-source.ts';
import { unsupportedFormat } from './errors.ts';
import { extensionOf } from './file-extension.ts';
import type { ReaderContext } from './format-reader.ts';
import { loadCodec } from './formats/codecs.ts';
import type { InputFormat } from './formats/registry.ts';
import { openReaderSource } from './reader-source.ts';
import { sniff } from './sniff.ts';
import type { Source } from './source.ts';
import { openVipsSource } from './vips-source.ts';

/** One page of a file whose format is known. */
export interface SourcePage {
  bytes: Uint8Array;
  format: InputFormat;
  /** 1-based; the first by default. */
  page?: number | undefined;
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
  const { bytes, format, page = 1, filename } = source;
  const { loader, reader, fallback, checkHeader, animation: readAnimation } = await loadCodec(format);
  checkHeader?.(bytes, page, context.limits);
  const animation = readAnimation?.(bytes);
  if (animation) return openAnimation(context, animation, { bytes, format, page });
  const isRefused = fallback?.applies(bytes, page) ?? false;
  if (loader && !isRefused) return openVipsSource(context, loader, bytes, format, page);
  const own = isRefused ? await fallback?.load() : reader;
  if (!own) throw unsupportedFormat(format);
  return openReaderSource(context, own, bytes, format, { page, extension: extensionOf(filename) }, (file) =>
    openSource(context, file),
  );
}
