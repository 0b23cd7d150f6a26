/** The formats whose files are replaced: those of websites that are written as they are read. */
import { extensionOf } from '../../../codecs/file-extension.ts';
import type { InputFormat, OutputFormat } from '../../../codecs/formats.ts';
import { sniff } from '../../../codecs/sniff.ts';
import type { InPlaceSettings } from './settings.ts';

const ALWAYS = ['jpeg', 'png', 'gif'] as const satisfies readonly OutputFormat[];
/** A lossy file of these was made for a website already: compressed again it loses twice. */
const MODERN = ['webp', 'avif', 'jxl'] as const satisfies readonly OutputFormat[];

export type ReplacedFormat = (typeof ALWAYS)[number] | (typeof MODERN)[number] | 'svg';

export function replacedFormats({ recompress_webp, optimize_svg }: InPlaceSettings): ReplacedFormat[] {
  return [...ALWAYS, ...(recompress_webp ? MODERN : []), ...(optimize_svg ? (['svg'] as const) : [])];
}

/** By the content, and of SVG, which has no signature, by the name. */
export function formatOfFile(data: ArrayBuffer, name: string): InputFormat | undefined {
  return sniff(new Uint8Array(data)) ?? (extensionOf(name) === 'svg' ? 'svg' : undefined);
}
