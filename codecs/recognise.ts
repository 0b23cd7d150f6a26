/** Recognises any format that the service reads, and names some that it does not. Bounded work, never throws. */
import { extensionOf } from './file-extension.ts';
import { FORMATS, INPUT_FORMATS, type InputFormat } from './formats/registry.ts';
import { isHtml, startOfMarkup } from './html-start.ts';
import { any, at, hasBrand, head, type Matcher } from './signature.ts';
import { recogniseBySignature } from './sniff.ts';

/** A format that the service reads, or the name of a recognised format that it does not read. */
export type Recognised = { format: InputFormat } | { unsupported: string };

/**
 * Recognises a format by content, or by extension if it has no signature.
 * @returns undefined for unknown bytes
 */
export function recognise(bytes: Uint8Array, filename?: string): Recognised | undefined {
  const format = recogniseBySignature(bytes);
  if (format) return { format };
  const other = OTHER_SIGNATURES.find(([, matches]) => matches(bytes));
  if (other) return { unsupported: other[0] };
  const named = recogniseByName(extensionOf(filename), bytes);
  return named && { format: named };
}

/** Formats that are recognised only to name them in the error message. */
const OTHER_SIGNATURES: readonly (readonly [name: string, matches: Matcher])[] = [
  ['QuickTime', hasBrand('qt  ')],
  ['MP4', at(4, 'ftyp')],
  ['JPEG XR', at(0, 'II\xbc\x01')],
  ['PostScript', any(at(0, '%!PS'), at(0, '\xc5\xd0\xd3\xc6'))],
  ['Windows metafile', any(at(0, '\xd7\xcd\xc6\x9a'), at(40, ' EMF'))],
  ['IFF', (bytes) => /^(?:FORM|CAT |LIST)/.test(head(bytes, 4))],
  ['ZIP', at(0, 'PK\x03\x04')],
  ['GZIP', at(0, '\x1f\x8b')],
  ['RAR', at(0, 'Rar!')],
  ['7-Zip', at(0, '7z\xbc\xaf')],
  ['Matroska or WebM', at(0, '\x1a\x45\xdf\xa3')],
  ['Ogg', at(0, 'OggS')],
  ['MP3', at(0, 'ID3')],
  ['RIFF', at(0, 'RIFF')],
  ['HTML', isHtml],
  ['XML', (bytes) => startOfMarkup(bytes).startsWith('<?xml')],
];

/** Recognises a format without a signature by the extension of a name, first those that check the bytes as well. */
function recogniseByName(extension: string, bytes: Uint8Array): InputFormat | undefined {
  if (bytes.length === 0) return undefined;
  const named = INPUT_FORMATS.filter((id) => FORMATS[id].extensions.includes(extension));
  return (
    named.find((id) => FORMATS[id].matchesNamed?.(bytes, extension)) ??
    named.find((id) => FORMATS[id].named && !FORMATS[id].matchesNamed)
  );
}
