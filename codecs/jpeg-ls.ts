/** Decodes JPEG-LS (ITU-T T.87) with CharLS. Worker side; the codec is loaded on first use. */
import { CornerstoneCodec } from './cornerstone-codec.ts';
import { corruptImage } from './errors.ts';
import { type JpegFrame, MARKER, readJpegFrame } from './jpeg-extended/headers.ts';
import { concat } from './metadata/bytes.ts';

const charls = new CornerstoneCodec('@cornerstonejs/codec-charls', 'JpegLSDecoder');

/** Appended because CharLS runs for a minute past the end of a file without this marker. */
const END_OF_IMAGE = Uint8Array.of(0xff, MARKER.eoi, 0xff, MARKER.eoi);

export interface JpegLsSamples {
  /** Interleaved, right-aligned. */
  values: Uint8Array | Uint16Array;
  truncated: boolean;
}

/** @throws Failure `corrupt_image` */
export function readJpegLsFrame(bytes: Uint8Array, formatName: string): JpegFrame {
  const frame = readJpegFrame(bytes, formatName);
  if (frame.marker !== MARKER.sof55) throw corruptImage(formatName, 'JPEG of another process');
  return frame;
}

/**
 * Decodes JPEG-LS.
 * @param frame from {@link readJpegLsFrame}, whose size has been checked
 * @throws Failure `corrupt_image`
 */
export async function decodeJpegLs(bytes: Uint8Array, frame: JpegFrame, formatName: string): Promise<JpegLsSamples> {
  const components = frame.components.length;
  const ended = concat([bytes, END_OF_IMAGE]);
  const { values, planar, failure } = await charls.decode(ended, { ...frame, components });
  // What was decoded before a failure is kept unless it is all zeros.
  if (!values || (failure && values.every((value) => value === 0))) throw corruptImage(formatName, failure?.cause);
  return { values: planar ? interleave(values, components) : values, truncated: failure !== undefined };
}

/** Converts planes to pixels. */
function interleave(planes: Uint8Array | Uint16Array, components: number): Uint8Array | Uint16Array {
  const pixels = planes.length / components;
  const interleaved = new (planes.BYTES_PER_ELEMENT === 1 ? Uint8Array : Uint16Array)(planes.length);
  for (let component = 0, read = 0; component < components; component++) {
    for (let pixel = 0, write = component; pixel < pixels; pixel++, write += components) {
      interleaved[write] = planes[read++]!;
    }
  }
  return interleaved;
}
