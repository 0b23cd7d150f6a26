/** The formats whose files are replaced: website formats that can be read and written. */
import { extensionOf } from '../../codecs/file-extension.ts';
import type { InputFormat, OutputFormat } from '../../codecs/formats/registry.ts';
import { sniff } from '../../codecs/sniff.ts';
import type { InPlaceSettings } from './settings.ts';

const DEFAULT_FORMATS = ['jpeg', 'png', 'gif'] as const satisfies readonly OutputFormat[];
/** A lossy file in these formats was probably made for a website. Compressing it again would lose quality twice. */
const OPTIONAL_FORMATS = ['webp', 'avif', 'jxl'] as const satisfies readonly OutputFormat[];

export type ReplacedFormat = (typeof DEFAULT_FORMATS)[number] | (typeof OPTIONAL_FORMATS)[number] | 'svg';

export function replacedFormats({ recompress_webp, optimize_svg }: InPlaceSettings): ReplacedFormat[] {
  return [
    ...DEFAULT_FORMATS,
    ...(recompress_webp ? OPTIONAL_FORMATS : []),
    ...(optimize_svg ? (['svg'] as const) : []),
  ];
}

/** Detects the format by content. SVG has no signature and is recognized by its extension. */
export function formatOfFile(data: ArrayBuffer, name: string): InputFormat | undefined {
  return sniff(new Uint8Array(data)) ?? (extensionOf(name) === 'svg' ? 'svg' : undefined);
}
