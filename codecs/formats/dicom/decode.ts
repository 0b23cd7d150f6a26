/** Decodes one frame from its bytes in the file to samples. */
import { inflateRawSync, constants as zlib } from 'node:zlib';
import type { EmbeddedFile } from '../../bitmap.ts';
import { corruptImage, unsupportedFormat } from '../../errors.ts';
import type { ReaderContext } from '../../format-reader.ts';
import { decodeBaseline } from '../../jpeg-extended/baseline.ts';
import { type JpegFrame, MARKER, readJpegFrame } from '../../jpeg-extended/headers.ts';
import { decodeLossless } from '../../jpeg-extended/lossless.ts';
import { decodeSequential } from '../../jpeg-extended/sequential.ts';
import { decodeJpegLs } from '../../jpeg-ls.ts';
import { FORMATS } from '../registry.ts';
import { type SampleModel, spreadChroma } from './colour.ts';
import type { DicomFile } from './file.ts';
import { type FrameBytes, frameBits } from './frames.ts';
import type { DicomImage } from './image.ts';
import { decodeJpegXl, isJpegXl, openJpegXl } from './jpeg-xl.ts';
import { decodeJpeg2000, isJpeg2000, readCodeStream } from './jpeg2000.ts';
import { decodeRle } from './rle.ts';
import { narrow, readStored, type StoredValues } from './stored.ts';

export interface Samples {
  /** Stored values: grey values before the modality transformation, palette indices or colours. */
  values: StoredValues;
  /** Number of bits that a value uses. */
  bits: number;
  /** Whether the samples are three planes, one after the other. */
  planar: boolean;
  /** What the samples of a colour image are. */
  model: SampleModel;
  truncated: boolean;
}

/** The result of a decoder for compressed frames: unsigned, interleaved samples. */
interface Decoded {
  values: Uint8Array | Uint16Array;
  precision: number;
  model: SampleModel;
  truncated: boolean;
}

type Frame = Pick<JpegFrame, 'width' | 'height'> & { components: number };

/**
 * Decodes a frame.
 * @returns a file instead of samples where another reader is needed, which returns the frame as it should be displayed
 * @throws Failure `corrupt_image`, `unsupported_format`
 */
export async function decodeFrame(
  file: DicomFile,
  image: DicomImage,
  frame: FrameBytes,
  context: ReaderContext,
): Promise<Samples | { embedded: EmbeddedFile }> {
  const { coding } = file.syntax;
  // Native pixels have a length and compressed ones fragments, whatever the transfer syntax declares.
  if (!image.pixels.undefinedLength) return readNative(file, image, frame);
  if (coding === 'rle') return readRle(image, frame);
  if (coding === 'deflated frames') return readNative(file, image, inflateFrame(image, frame));
  const isImage = startsLikeImage(frame.bytes);
  if (coding === 'native' && !isImage) return readNative(file, image, frame);
  const decoded = await decodeImage(image, frame.bytes, context);
  if ('embedded' in decoded) return decoded;
  const { values, precision, model, truncated } = decoded;
  // With lossless coding there may be bits around the stored ones; with lossy coding there are none worth keeping.
  const within = file.syntax.lossless && image.shift + image.bitsStored <= precision;
  const { bitsStored, shift } = within ? image : { bitsStored: precision, shift: 0 };
  return {
    values: narrow(values, { bitsStored, shift, signed: image.signed }),
    bits: bitsStored,
    planar: false,
    model,
    truncated: truncated || frame.truncated,
  };
}

const modelOf = ({ model }: DicomImage): SampleModel =>
  model === 'ybr' || model === 'ybr422' ? 'ybr' : model === 'ybrPartial422' ? 'ybrPartial' : 'rgb';

function readNative({ syntax, dataSet }: DicomFile, image: DicomImage, { bytes, bit, truncated }: FrameBytes): Samples {
  const { littleEndian } = syntax;
  const words = dataSet.get(image.pixels.tag)?.vr !== 'OB';
  const pixels = image.width * image.height;
  const count = frameBits(image) / image.bitsAllocated;
  const stored = readStored(bytes, bit, count, { ...image, littleEndian, words });
  const subsampled = count < pixels * image.samples;
  return {
    values: subsampled ? spreadChroma(stored, pixels) : stored,
    bits: image.bitsStored,
    planar: image.planar && !subsampled,
    model: modelOf(image),
    truncated,
  };
}

function readRle(image: DicomImage, frame: FrameBytes): Samples {
  const { width, height, samples, bitsAllocated } = image;
  const pixels = width * height;
  // Single bits are packed as in native pixel data.
  const units = bitsAllocated < 8 ? Math.ceil((pixels * bitsAllocated) / 8) : pixels;
  const { bytes, truncated } = decodeRle(frame.bytes, units, samples, Math.ceil(bitsAllocated / 8));
  const layout = { ...image, bitsAllocated: bitsAllocated < 8 ? bitsAllocated : Math.ceil(bitsAllocated / 8) * 8 };
  const values = readStored(bytes, 0, pixels * samples, { ...layout, littleEndian: true, words: false });
  const model = modelOf(image);
  return { values, bits: image.bitsStored, planar: false, model, truncated: truncated || frame.truncated };
}

/** Inflates a frame of Deflated Image Frame Compression (PS3.5, annex A.4.13). */
function inflateFrame(image: DicomImage, frame: FrameBytes): FrameBytes {
  const bytes = Math.ceil(frameBits(image) / 8);
  try {
    // One more byte, for padding that was deflated with the data.
    const inflated = inflateRawSync(frame.bytes, { maxOutputLength: bytes + 1, finishFlush: zlib.Z_SYNC_FLUSH });
    return { bytes: inflated, bit: 0, truncated: inflated.length < bytes };
  } catch (cause) {
    throw corruptImage(FORMATS.dicom.name, cause);
  }
}

const startsLikeImage = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xff && bytes[1] === MARKER.soi) || isJpeg2000(bytes) || isJpegXl(bytes);

async function decodeImage(
  image: DicomImage,
  bytes: Uint8Array,
  context: ReaderContext,
): Promise<Decoded | { embedded: EmbeddedFile }> {
  if (isJpeg2000(bytes)) {
    const stream = readCodeStream(bytes);
    check(image, stream);
    if (stream.precision > 16) throw unsupportedFormat(`DICOM with JPEG 2000 of ${stream.precision} bits`);
    const model = stream.colourTransform ? 'rgb' : modelOf(image);
    if (stream.components > 1 && stream.precision > 8) {
      // OpenJPEG's interface does not return these.
      if (model === 'rgb') return { embedded: { format: 'jp2', bytes: stream.bytes } };
      throw unsupportedFormat(`DICOM with JPEG 2000 chroma of ${stream.precision} bits`);
    }
    const { values, truncated } = await decodeJpeg2000(stream);
    return { values, precision: stream.precision, model, truncated };
  }
  if (isJpegXl(bytes)) {
    const opened = openJpegXl(context.vips, bytes);
    check(image, { width: opened.width, height: opened.height, components: opened.bands });
    return { ...decodeJpegXl(opened, image.bitsStored), model: 'rgb' };
  }
  return decodeJpeg(image, bytes, context);
}

async function decodeJpeg(image: DicomImage, bytes: Uint8Array, { vips }: ReaderContext): Promise<Decoded> {
  const frame = readJpegFrame(bytes);
  const { marker, precision } = frame;
  check(image, { ...frame, components: frame.components.length });
  switch (marker) {
    case MARKER.sof55: {
      const decoded = await decodeJpegLs(bytes, frame, FORMATS.dicom.name);
      return { ...decoded, precision, model: modelOf(image) };
    }
    case MARKER.sof3:
      return { ...decodeLossless(bytes, frame), precision, model: modelOf(image) };
    case MARKER.sof0:
    case MARKER.sof1:
    case MARKER.sof2: {
      const luma = hasLuma(image, frame);
      if (precision === 8) return { ...decodeBaseline(vips, bytes, frame, luma), precision, model: 'rgb' };
      if (precision === 12 && marker !== MARKER.sof2) {
        return { ...decodeSequential(bytes, frame), precision, model: luma ? 'ybr' : 'rgb' };
      }
    }
  }
  throw unsupportedFormat(`DICOM with a JPEG process (SOF${marker - MARKER.sof0}, ${precision} bits)`);
}

/**
 * Whether the components of a colour JPEG are luma and chroma. Many data sets declare RGB where a marker or subsampled
 * chroma in the file shows otherwise.
 */
function hasLuma({ model }: DicomImage, { colour, components }: JpegFrame): boolean {
  if (colour === 'adobe rgb') return false;
  if (model !== 'rgb' || colour !== undefined) return true;
  const [first, ...others] = components;
  return others.some(({ horizontal, vertical }) => horizontal !== first!.horizontal || vertical !== first!.vertical);
}

/** Checks the size. A frame larger than the data set declares would bypass the limits. */
function check({ width, height, samples }: DicomImage, frame: Frame): void {
  if (frame.width !== width || frame.height !== height || frame.components !== samples) {
    const found = `${frame.width} x ${frame.height} of ${frame.components}`;
    throw corruptImage(FORMATS.dicom.name, `a frame of ${found} for ${width} x ${height} of ${samples}`);
  }
}
