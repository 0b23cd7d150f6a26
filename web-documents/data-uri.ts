/** Images inside a document, as `data:` URIs (RFC 2397, parsed as in the Fetch standard). */
import { createHash } from 'node:crypto';
import { sizeOf } from '../codecs/dimensions.ts';
import { FORMATS, type FormatId, INPUT_FORMATS } from '../codecs/formats/registry.ts';
import { hasSignature, sniff } from '../codecs/sniff.ts';
import { readMarkupHead } from '../codecs/svg/markup.ts';
import { sizeOf as drawingSize } from '../codecs/svg/size.ts';
import { Markup } from './markup.ts';
import type { InlineImage } from './reading.ts';

/** Whether an address is a `data:` URI, given its beginning. */
export const isDataUri = (address: string): boolean => /^data:/i.test(address);

/** Twice the length of the longest registered type. */
const MAX_TYPE_LENGTH = 200;

/** @returns undefined if the type is not an image type, or the content is empty */
export function readDataUri(uri: string): InlineImage | undefined {
  // A fragment is not part of the content.
  const address = uri.replaceAll(/[\t\n\r]/g, '').split('#', 1)[0]!;
  const comma = address.indexOf(',');
  if (comma === -1) return undefined;
  const header = address.slice('data:'.length, comma).toLowerCase();
  const contentType = header.split(';', 1)[0]!.trim();
  if (!contentType.startsWith('image/') || contentType.length > MAX_TYPE_LENGTH) return undefined;
  const body = percentDecode(address.slice(comma + 1).trimEnd());
  const bytes = /;\s*base64\s*$/.test(header.slice(-100)) ? Buffer.from(body.toString('latin1'), 'base64') : body;
  if (bytes.length === 0) return undefined;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { url: `data:${contentType};sha256,${sha256}`, sha256, contentType, bytes: bytes.length, ...describe(bytes) };
}

const isVector = (format: FormatId) => FORMATS[format].web?.kind === 'vector';

/** Formats of websites that `sniff` does not know. */
const OTHER_FORMATS = INPUT_FORMATS.filter((id) => FORMATS[id].web?.age === 'classic' || isVector(id));

function describe(bytes: Uint8Array): { format: FormatId | null; width: number | null; height: number | null } {
  const format = sniff(bytes) ?? OTHER_FORMATS.find((id) => hasSignature(bytes, id)) ?? null;
  const size = format && (isVector(format) ? svgSize(bytes) : sizeOf(bytes, format));
  const side = (length: number | undefined) => (length !== undefined && length > 0 ? Math.round(length) : null);
  return { format, width: side(size?.width), height: side(size?.height) };
}

/** The first tag is within these bytes, even if a licence precedes it. */
const SVG_HEAD_BYTES = 32_768;
const SVG_ATTRIBUTES: readonly string[] = ['width', 'height', 'viewbox', 'style'];

function svgSize(bytes: Uint8Array): { width: number; height: number } | undefined {
  let size: { width: number; height: number } | undefined;
  const markup: Markup = new Markup(
    readMarkupHead(bytes, SVG_HEAD_BYTES),
    {
      wants: (name) => SVG_ATTRIBUTES.includes(name),
      foreign: () => true,
      open: (_, attributes) => {
        const [width, height, viewBox, style] = SVG_ATTRIBUTES.map((name) => attributes.get(name)?.text);
        size = drawingSize({ width, height, viewBox, style });
        markup.stop();
      },
    },
    true,
  );
  markup.read();
  return size;
}

const PERCENT = 0x25;

function percentDecode(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  let length = 0;
  for (let at = 0; at < bytes.length; at++, length++) {
    const escaped = bytes[at] === PERCENT ? hexByte(bytes[at + 1], bytes[at + 2]) : undefined;
    bytes[length] = escaped ?? bytes[at]!;
    if (escaped !== undefined) at += 2;
  }
  return bytes.subarray(0, length);
}

function hexByte(high: number | undefined, low: number | undefined): number | undefined {
  const digits = String.fromCharCode(high ?? 0, low ?? 0);
  return /^[\da-f]{2}$/i.test(digits) ? Number.parseInt(digits, 16) : undefined;
}
