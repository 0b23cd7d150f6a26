/** When each frame of an animation is shown, read from its file: browsers tell it only by decoding every frame. */

/** Browsers take a frame this short for one without a time of its own, of GIF and WebP alike; in milliseconds. */
const UNTIMED_UP_TO = 10;
const UNTIMED = 100;

/** Milliseconds that each frame is shown, as browsers and the service play them; none where it is no GIF or animated WebP. */
export function frameDelays(bytes: Uint8Array): number[] {
  const stored = isGif(bytes) ? gifDelays(bytes) : isWebp(bytes) ? webpDelays(bytes) : [];
  return stored.map((delay) => (delay <= UNTIMED_UP_TO ? UNTIMED : delay));
}

/** The type for a decoder, by the first bytes: files often come under another name. */
export function animationType(bytes: Uint8Array): string | undefined {
  return isGif(bytes) ? 'image/gif' : isWebp(bytes) ? 'image/webp' : undefined;
}

const text = (bytes: Uint8Array, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + length));
const isGif = (bytes: Uint8Array): boolean => text(bytes, 0, 4) === 'GIF8';
const isWebp = (bytes: Uint8Array): boolean => text(bytes, 0, 4) === 'RIFF' && text(bytes, 8, 4) === 'WEBP';

const EXTENSION = 0x21;
const GRAPHIC_CONTROL = 0xf9;
const IMAGE = 0x2c;

/** The blocks of a GIF (GIF89a, 19 to 27); what is damaged or cut off ends the list. */
function gifDelays(bytes: Uint8Array): number[] {
  const delays: number[] = [];
  const byte = (at: number) => bytes[at] ?? 0;
  /** A table of colours is there when the first bit is set; the last three say how large it is. */
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
      // In hundredths of a second.
      if (byte(at + 1) === GRAPHIC_CONTROL) delay = (byte(at + 4) | (byte(at + 5) << 8)) * 10;
      at = afterBlocks(at + 2);
    } else if (byte(at) === IMAGE) {
      delays.push(delay);
      delay = 0;
      // The descriptor, its colours, and one byte with the size of the first codes.
      at = afterBlocks(at + 10 + tableBytes(byte(at + 9)) + 1);
    } else break;
  }
  return delays;
}

/** The ANMF chunks of a WebP (RFC 9649, 2.7.1.1). */
function webpDelays(bytes: Uint8Array): number[] {
  const delays: number[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 12; at + 8 <= bytes.length; ) {
    const size = view.getUint32(at + 4, true);
    // 24 bits after twelve bytes of place and size.
    if (text(bytes, at, 4) === 'ANMF' && at + 24 <= bytes.length) delays.push(view.getUint32(at + 20, true) & 0xffffff);
    at += 8 + size + (size % 2);
  }
  return delays;
}
