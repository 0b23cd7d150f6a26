/** Reads the duration of each frame from the file. Browsers report durations only by decoding every frame. */

/** In milliseconds. Browsers replace a delay this short by a default, for GIF and WebP alike. */
const MIN_DELAY_MS = 10;
const DEFAULT_DELAY_MS = 100;

/**
 * Returns the duration of each frame in milliseconds, as browsers and the service play it. Empty for other formats than
 * GIF and animated WebP.
 */
export function frameDelays(bytes: Uint8Array): number[] {
  const stored = isGif(bytes) ? gifDelays(bytes) : isWebp(bytes) ? webpDelays(bytes) : [];
  return stored.map((delay) => (delay <= MIN_DELAY_MS ? DEFAULT_DELAY_MS : delay));
}

/** Returns the MIME type from the first bytes, because file names and types are often wrong. */
export const animationType = (bytes: Uint8Array): string | undefined =>
  isGif(bytes) ? 'image/gif' : isWebp(bytes) ? 'image/webp' : undefined;

const text = (bytes: Uint8Array, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + length));
const isGif = (bytes: Uint8Array): boolean => text(bytes, 0, 4) === 'GIF8';
const isWebp = (bytes: Uint8Array): boolean => text(bytes, 0, 4) === 'RIFF' && text(bytes, 8, 4) === 'WEBP';

const EXTENSION = 0x21;
const GRAPHIC_CONTROL = 0xf9;
const IMAGE = 0x2c;

/** Reads the blocks of a GIF (GIF89a, sections 19 to 27). Stops at damaged or truncated data. */
function gifDelays(bytes: Uint8Array): number[] {
  const delays: number[] = [];
  const byte = (at: number) => bytes[at] ?? 0;
  /** The first bit says whether there is a colour table, the last three bits its size. */
  const tableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  const afterBlocks = (start: number) => {
    let at = start;
    while (at < bytes.length && byte(at) > 0) at += byte(at) + 1;
    return at + 1;
  };
  let at = 13 + tableBytes(byte(10));
  let delay = 0;
  while (at < bytes.length) {
    if (byte(at) === EXTENSION) {
      // Stored in hundredths of a second.
      if (byte(at + 1) === GRAPHIC_CONTROL) delay = (byte(at + 4) | (byte(at + 5) << 8)) * 10;
      at = afterBlocks(at + 2);
    } else if (byte(at) === IMAGE) {
      delays.push(delay);
      delay = 0;
      // Skips the descriptor, the colour table, and the byte with the minimum code size.
      at = afterBlocks(at + 10 + tableBytes(byte(at + 9)) + 1);
    } else break;
  }
  return delays;
}

/** Reads the ANMF chunks of a WebP (RFC 9649, section 2.7.1.1). */
function webpDelays(bytes: Uint8Array): number[] {
  const delays: number[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 12; at + 8 <= bytes.length; ) {
    const size = view.getUint32(at + 4, true);
    // The duration: 24 bits after 12 bytes of position and size.
    if (text(bytes, at, 4) === 'ANMF' && at + 24 <= bytes.length) delays.push(view.getUint32(at + 20, true) & 0xffffff);
    at += 8 + size + (size % 2);
  }
  return delays;
}
