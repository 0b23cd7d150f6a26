/** Reads the headers of the files that an icon can contain. */

import { Failure } from '../../../base/failure.ts';
import type { Size } from '../../../base/geometry.ts';
import { bufferOf, Reader, startsWith } from '../../metadata/bytes.ts';
import { fileBoxes, headerBoxes } from '../../metadata/jp2.ts';
import { FORMATS } from '../registry.ts';

export interface FileHeader extends Size {
  format: 'png' | 'jp2';
  hasAlpha: boolean;
}

/**
 * Reads the header of the image itself rather than trusting the type of the element.
 * @returns undefined when it is not such a file
 */
export function readFileHeader(bytes: Uint8Array): FileHeader | undefined {
  try {
    const header = readHeader(bytes);
    return header && header.width > 0 && header.height > 0 ? header : undefined;
  } catch (error) {
    // The Reader throws when the file ends before its header does.
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

function readHeader(bytes: Uint8Array): FileHeader | undefined {
  if (startsWith(bytes, '\x89PNG\r\n\x1a\n')) return readPng(bytes);
  const reader = new Reader(bytes, FORMATS.jp2.name);
  return startsWith(bytes, '\xff\x4f\xff\x51') ? readCodestream(reader) : readBoxes(reader);
}

const PNG_ALPHA = 4;

function readPng(bytes: Uint8Array): FileHeader {
  const reader = new Reader(bytes, FORMATS.png.name);
  const buffer = bufferOf(bytes);
  const header = buffer.subarray(0, Math.max(0, buffer.indexOf('IDAT')));
  const hasAlpha = (reader.u8(25) & PNG_ALPHA) !== 0 || header.includes('tRNS');
  return { format: 'png', width: reader.u32(16), height: reader.u32(20), hasAlpha };
}

/** Whether there is a component more than grey or RGB have (ISO/IEC 15444-1, I.5.3.1). */
const hasAlphaComponent = (components: number): boolean => components === 2 || components === 4;

function readBoxes(reader: Reader): FileHeader | undefined {
  const header = headerBoxes(reader, fileBoxes(reader)).find(({ type }) => type === 'ihdr');
  if (!header) return undefined;
  const at = header.contentStart;
  const hasAlpha = hasAlphaComponent(reader.u16(at + 8));
  return { format: 'jp2', width: reader.u32(at + 4), height: reader.u32(at), hasAlpha };
}

/** Reads the SIZ marker segment (ISO/IEC 15444-1, A.5.1): the reference grid minus the offset of the image on it. */
function readCodestream(reader: Reader): FileHeader {
  const width = reader.u32(8) - reader.u32(16);
  const height = reader.u32(12) - reader.u32(20);
  return { format: 'jp2', width, height, hasAlpha: hasAlphaComponent(reader.u16(40)) };
}
