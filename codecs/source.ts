/** A file whose header has been read, and what can be asked of it. */
import type { ColourRequest } from './colour.ts';
import type { InputFormat } from './formats.ts';
import type { LoadOptions } from './loaders.ts';
import { copyToMemory, type Header, type Picture } from './picture.ts';
import { handlesFromHere, type VipsApi } from './vips.ts';

export interface OpenRequest extends ColourRequest {
  /** Keep every frame of an animation. */
  animation: boolean;
  shrink: LoadOptions['shrink'];
  /** Of the upright picture: the size that is wanted in the end. Decoders that resize as well as the steps do give it so. */
  size?: { width: number; height: number } | undefined;
  /**
   * Rows will be asked for once, from top to bottom, and those of an animation frame by frame. Only for formats that
   * stream and for animations, and upright pictures.
   */
  sequential: boolean;
  /** The caller copies the picture to memory as a whole, though its rows are asked for once. */
  copied?: boolean;
  tolerant: boolean;
}

/** One picture as it is, decoded as a whole to 8-bit sRGB. */
export const WHOLE_PICTURE: OpenRequest = {
  animation: false,
  shrink: 1,
  sequential: false,
  tolerant: false,
  keepProfile: false,
  keepDepth: false,
};

export interface OpenedPicture extends Picture {
  /** A wider or other colour space became sRGB. */
  converted: boolean;
  /** The frames are in memory: the pixels of a picture that has been decoded, or parts of one. */
  inMemory?: boolean;
}

export interface Source {
  header: Header;
  /** Whether libvips decodes it row by row. */
  streams: boolean;
  /**
   * Peak memory of the decoder besides the picture, in bytes, at full size and for one frame at a time: bitmaps of readers,
   * planes of video frames. For decoders that stream: when the picture is decoded as a whole.
   */
  workingBytes: number;
  /**
   * What the decoder holds in any case, in bytes, also when it decodes at a smaller size or row by row: coefficients of a JPEG of
   * several scans, rows of tiles of a TIFF.
   */
  decoderBytes: number;
  /** Whether it can be decoded at a smaller size. */
  shrinks: boolean;
  /** The same picture drawn larger or smaller; only of formats of shapes. */
  scaled?(scale: number): Source;
  /** @throws Failure `corrupt_image` here, or a libvips error as soon as pixels are asked for */
  open(request: OpenRequest): Promise<OpenedPicture>;
}

/**
 * Opens a picture and, unless its rows are to be asked for once, holds it in memory, and nothing else of what that took.
 * @throws as `open` of the source, and a libvips error for pixels that cannot be decoded
 */
export async function decode(vips: VipsApi, source: Source, request: OpenRequest): Promise<OpenedPicture> {
  if (request.sequential) return await source.open(request);
  const handles = handlesFromHere(vips);
  let held: OpenedPicture | undefined;
  // The copy takes the rows of an upright picture once and in their order: a loader need not hold them as well.
  const sequential = source.header.orientation === 1 && !(request.animation && source.header.frames > 1);
  try {
    const opened = await source.open({ ...request, sequential, copied: true });
    held = opened.inMemory ? opened : { ...opened, ...copyToMemory(opened) };
    return held;
  } finally {
    handles.free(held?.frames);
  }
}

/**
 * A picture that cannot be decoded to its end. Not a `Failure`: the caller tries again and takes what can be read.
 * libvips' own errors come as exceptions of WebAssembly; {@link isDecodeError} knows both.
 */
export class Truncated {
  readonly message: string;

  constructor(format: InputFormat) {
    this.message = `the ${format} file ends early`;
  }
}

/** Whether an error says that the bytes could not be decoded (or encoded), as opposed to a bug or a trap. */
export function isDecodeError(error: unknown): boolean {
  return !(error instanceof Error);
}

/** An error of libvips as text. Embind throws its exceptions with the message as a pair of type and text. */
export function vipsMessage(error: unknown): string {
  const message: unknown = (error as { message?: unknown } | null)?.message;
  return Array.isArray(message) ? message.join(': ') : String(message ?? error);
}
