/** JPEG-LS (ITU-T T.87) through CharLS. Worker side; the codec is loaded on first use. */
import { CornerstoneCodec, isTrap, takeSamples } from '../cornerstone-codec.ts';
import { type JpegFrame, MARKER, readJpegFrame } from '../dicom/jpeg/headers.ts';
import { corruptImage } from '../errors.ts';

const charls = new CornerstoneCodec('@cornerstonejs/codec-charls', 'JpegLSDecoder');

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
 * @param frame of {@link readJpegLsFrame}, whose size has been checked
 * @throws Failure `corrupt_image`
 */
export async function decodeJpegLs(bytes: Uint8Array, frame: JpegFrame, formatName: string): Promise<JpegLsSamples> {
  const components = frame.components.length;
  try {
    return await charls.use((decoder) => {
      decoder.getEncodedBuffer(bytes.length).set(bytes);
      let failure: { cause: unknown } | undefined;
      try {
        decoder.decode();
      } catch (cause) {
        if (isTrap(cause)) throw cause;
        failure = { cause };
      }
      const values = takeSamples(decoder, { ...frame, components });
      // What was decoded before a failure is kept, if there is anything.
      if (!values || (failure && values.every((value) => value === 0))) throw failure?.cause;
      const planar = components > 1 && decoder.getInterleaveMode?.() === 0;
      return { values: planar ? interleave(values, components) : values, truncated: failure !== undefined };
    });
  } catch (cause) {
    throw corruptImage(formatName, cause);
  }
}

/** Planes to pixels. */
function interleave(planes: Uint8Array | Uint16Array, components: number): Uint8Array | Uint16Array {
  const pixels = planes.length / components;
  const interleaved = planes.slice();
  for (let component = 0, read = 0; component < components; component++) {
    for (let pixel = 0, write = component; pixel < pixels; pixel++, write += components) {
      interleaved[write] = planes[read++]!;
    }
  }
  return interleaved;
}
