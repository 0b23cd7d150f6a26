/** The formats whose files are replaced: website formats that can be read and written. */
import { extensionOf } from '../../codecs/file-extension.ts';
import { FORMATS, type FormatId, type InputFormat, isOutput, WEB_FORMATS } from '../../codecs/formats/registry.ts';
import { sniff } from '../../codecs/sniff.ts';
import type { InPlaceSettings } from './settings.ts';

const VECTORS = WEB_FORMATS.filter((id) => FORMATS[id].web?.kind === 'vector');

export function replacedFormats({ recompress_webp, optimize_svg }: InPlaceSettings): FormatId[] {
  return WEB_FORMATS.filter((id) => {
    if (VECTORS.includes(id)) return optimize_svg;
    const { web, coding } = FORMATS[id];
    // Files without compression are not made for websites.
    if (!isOutput(id) || !coding) return false;
    // A lossy file in a modern format was probably made for a website. Compressing it again would lose quality twice.
    return web?.age === 'classic' || (web?.age === 'modern' && recompress_webp);
  });
}

export const isVector = (format: string | undefined): boolean => VECTORS.some((id) => id === format);

/** Detects the format by content. Vector images have no signature and are recognized by their extension. */
export const formatOfFile = (data: ArrayBuffer, name: string): InputFormat | undefined =>
  sniff(new Uint8Array(data)) ?? VECTORS.find((id) => FORMATS[id].extensions[0] === extensionOf(name));
