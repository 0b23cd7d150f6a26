/** The codestream of a JPEG XL file, bare or in the container of ISO/IEC 18181-2. */
import { corruptImage } from '../../errors.ts';
import { concat, Reader, startsWith } from '../../metadata/bytes.ts';
import { tryParse } from '../../metadata/damage.ts';
import { type Box, contentOf, presentBoxes } from '../../metadata/isobmff.ts';
import { CHANNEL, type JxlHeader, readJxlHeader } from './header.ts';

const SIGNATURE = '\xff\x0a';

/** Whether a file is a bare codestream. */
export const isCodestream = (bytes: Uint8Array): boolean => startsWith(bytes, SIGNATURE);

/** Returns the codestream, or its first part; undefined if there is none. */
export function codestreamStart(bytes: Uint8Array): Uint8Array | undefined {
  if (isCodestream(bytes)) return bytes;
  const reader = new Reader(bytes, 'jxl');
  return partsOf(reader, presentBoxes(reader))[0];
}

/** @throws Failure `corrupt_image` if there is none */
export function wholeCodestream(bytes: Uint8Array): Uint8Array {
  if (isCodestream(bytes)) return bytes;
  const reader = new Reader(bytes, 'jxl');
  const [first, ...rest] = partsOf(reader, presentBoxes(reader));
  if (!first) throw noCodestream();
  return rest.length === 0 ? first : concat([first, ...rest]);
}

function partsOf(reader: Reader, boxes: readonly Box[]): Uint8Array[] {
  const whole = boxes.find(({ type }) => type === 'jxlc');
  if (whole) return [contentOf(reader, whole)];
  // Parts start with their number.
  return boxes.filter(({ type }) => type === 'jxlp').map((part) => contentOf(reader, part).subarray(4));
}

const noCodestream = () => corruptImage('jxl', 'no codestream');

/** @throws Failure `corrupt_image` */
export function headerOf(bytes: Uint8Array): JxlHeader {
  const start = codestreamStart(bytes);
  if (!start) throw noCodestream();
  return readJxlHeader(start);
}

/** Whether a file has channels for which libvips is not enough: it loses black, and refuses more than one. */
export const hasOtherChannels = (bytes: Uint8Array): boolean =>
  tryParse(() => {
    const { extraChannels } = headerOf(bytes);
    return extraChannels.length > 1 || extraChannels.some(({ type }) => type === CHANNEL.black);
  }) ?? false;
