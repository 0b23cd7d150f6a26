/** Plain portable bitmaps, P1 (Netpbm, pbm(5)). Their digits may stand without spaces, which libvips reads as one number. */

const NEWLINE = 10;
const COMMENT = 35;
const ZERO = 48;
const NINE = 57;

export const isPlainBitmap = (bytes: Uint8Array): boolean => bytes[0] === 0x50 && bytes[1] === 0x31;

/** The same picture as a packed bitmap, P4, as far as the file goes; the file itself when its header makes no sense. */
export function packPlainBitmap(bytes: Uint8Array): Uint8Array {
  const [width, afterWidth] = readNumber(bytes, 2);
  const [height, pixelsAt] = readNumber(bytes, afterWidth);
  // A pixel takes a byte at least.
  if (width === 0 || height === 0 || width > bytes.length) return bytes;
  const stride = Math.ceil(width / 8);
  const rows = Math.min(height, Math.ceil(bytes.length / width));
  const header = Buffer.from(`P4\n${width} ${height}\n`);
  const packed = new Uint8Array(header.length + stride * rows);
  packed.set(header);

  let pixel = 0;
  for (let at = pixelsAt; at < bytes.length && pixel < width * rows; at++) {
    const bit = bytes[at]! - ZERO;
    if (bytes[at] === COMMENT) at = endOfLine(bytes, at);
    if (bit !== 0 && bit !== 1) continue;
    const x = pixel % width;
    packed[header.length + ((pixel - x) / width) * stride + (x >> 3)]! |= bit << (7 - (x & 7));
    pixel++;
  }
  const whole = Math.floor(pixel / width);
  return whole < rows ? packed.subarray(0, header.length + stride * whole) : packed;
}

function endOfLine(bytes: Uint8Array, from: number): number {
  const end = bytes.indexOf(NEWLINE, from);
  return end === -1 ? bytes.length : end;
}

/** The next number, and where it ends; 0 where there is none. */
function readNumber(bytes: Uint8Array, from: number): [value: number, end: number] {
  let at = from;
  while (at < bytes.length && !isDigit(bytes[at]!)) at = bytes[at] === COMMENT ? endOfLine(bytes, at) + 1 : at + 1;
  let value = 0;
  for (; at < bytes.length && isDigit(bytes[at]!) && value < 2 ** 31; at++) value = value * 10 + bytes[at]! - ZERO;
  return [value, at];
}

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE;
