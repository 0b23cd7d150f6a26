/** A file whose header has been read, and which can be decoded. */
import { copyToMemory, type DecodedImage, type Header } from './decoded-image.ts';
import type { InputFormat } from './formats/registry.ts';
import type { LoadOptions } from './loader.ts';
import { trackHandles, type VipsApi } from './vips.ts';
import type { ColourRequest } from './working-space.ts';

export interface OpenRequest extends ColourRequest {
  /** Keep every frame of an animation. */
  animation: boolean;
  shrink: LoadOptions['shrink'];
  /** The final size of the upright image. Decoders that resize as well as the steps do return this size. */
  size?: { width: number; height: number } | undefined;
  /**
   * Rows will be read once, from top to bottom, and those of an animation frame by frame. Only for formats that stream
   * and for animations, and upright images.
   */
  sequential: boolean;
  /** The caller copies the whole image to memory, although its rows are read once. */
  copied?: boolean;
  tolerant: boolean;
}

/** Decodes one whole image to 8-bit sRGB. */
export const WHOLE_IMAGE: OpenRequest = {
  animation: false,
  shrink: 1,
  sequential: false,
  tolerant: false,
  keepProfile: false,
  keepGreyProfile: false,
  keepCodePoints: false,
  keepDepth: false,
};

/** Decodes one whole image to 8 bits, its colours as they are stored. */
export const STORED_COLOURS: OpenRequest = {
  ...WHOLE_IMAGE,
  keepProfile: true,
  keepGreyProfile: true,
  keepCodePoints: true,
};

export interface OpenedImage extends DecodedImage {
  /** Whether another colour space, for example a wider one, was converted to sRGB. */
  converted: boolean;
  /** The frames are in memory: either decoded pixels or parts of a decoded image. */
  inMemory?: boolean;
}

export interface Source {
  header: Header;
  /** Whether libvips decodes it row by row. */
  streams: boolean;
  /**
   * Peak memory of the decoder besides the image, in bytes, at full size and for one frame at a time: bitmaps of
   * readers, planes of video frames. For decoders that stream: when the image is decoded as a whole.
   */
  workingBytes: number;
  /**
   * Bytes that the decoder needs in any case, also when it decodes at a smaller size or row by row: coefficients of a
   * JPEG of several scans, rows of tiles of a TIFF.
   */
  decoderBytes: number;
  /** Whether it can be decoded at a smaller size. */
  shrinks: boolean;
  /** Opening reads no pixels, unless `size` is given: they are decoded when they are read. */
  opensLazily?: true;
  /** All frames of the animation are decoded together, whatever the order in which they are used. */
  holdsFrames?: boolean;
  /** Returns the image drawn larger or smaller. Only for formats that are drawn (`scalable`). */
  scaled?(scale: number): Source;
  /**
   * Opens the image.
   * @throws Failure `corrupt_image` here, or a libvips error when pixels are read
   */
  open(request: OpenRequest): Promise<OpenedImage>;
}

/**
 * Opens an image. Unless its rows are to be read only once, keeps it in memory and frees everything else that decoding
 * used.
 * @throws like `open` of the source, and a libvips error for pixels that cannot be decoded
 */
export async function decode(vips: VipsApi, source: Source, request: OpenRequest): Promise<OpenedImage> {
  if (request.sequential) return await source.open(request);
  const handles = trackHandles(vips);
  let held: OpenedImage | undefined;
  // The copy reads the rows of an upright image once and in order, so a loader need not keep them as well.
  const sequential = source.header.orientation === 1 && !(request.animation && source.header.frames > 1);
  try {
    const opened = await source.open({ ...request, sequential, copied: true });
    held = opened.inMemory ? opened : { ...opened, ...copyToMemory(opened) };
    return held;
  } finally {
    handles.free(held && [...held.frames, ...(held.column ? [held.column] : [])]);
  }
}

/**
 * An image that cannot be decoded completely. Not a `Failure`: the caller tries again and accepts what can be read.
 * libvips' own errors are WebAssembly exceptions; {@link isDecodeError} recognises both.
 */
export class Truncated {
  readonly message: string;

  constructor(format: InputFormat) {
    this.message = `the ${format} file ends early`;
  }
}

/** Whether an error means that the bytes could not be decoded (or encoded), as opposed to a bug or a trap. */
export const isDecodeError = (error: unknown): boolean => !(error instanceof Error);

/** Returns the text of a libvips error. Embind throws exceptions whose message is a pair of type and text. */
export function vipsMessage(error: unknown): string {
  const message: unknown = (error as { message?: unknown } | null)?.message;
  return Array.isArray(message) ? message.join(': ') : String(message ?? error);
}
