/** Loads images with ImageMagick and frees each of them again. */
import type { IMagickImage, IMagickImageCollection, MagickReadSettings } from '@imagemagick/magick-wasm';
import { Failure } from '../../base/failure.ts';
import { corruptImage, imageTooLarge } from '../errors.ts';
import type { MagickInput } from '../formats/registry.ts';
import { coderOf, nameOf } from './coders.ts';
import type { Magick } from './engine.ts';

export interface LoadRequest {
  format: MagickInput;
  /** Whether to read only the headers. */
  ping: boolean;
  /** Read only this frame, counted from 0. */
  frame?: number | undefined;
  /** Read only the frames before this one. */
  framesBelow?: number | undefined;
  /** Options of the coder by name (`dng:read-thumbnail`). */
  options?: Readonly<Record<string, string>> | undefined;
}

/** The loaded images. */
export interface Loaded {
  images: IMagickImageCollection;
  /** Whether the file is damaged and was read only in part. */
  damaged: boolean;
}

/**
 * Loads the images of a file while `use` runs.
 * @throws Failure `corrupt_image`, `image_too_large`
 */
export function withImages<T>(
  magick: Magick,
  bytes: Uint8Array,
  request: LoadRequest,
  use: (loaded: Loaded, first: IMagickImage) => T,
): T {
  const images = magick.MagickImageCollection.create();
  try {
    const damaged = load(magick, images, bytes, request);
    const [first] = images;
    if (!first) throw corruptImage(nameOf(request.format));
    return use({ images, damaged }, first);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw toFailure(magick, request.format, error);
  } finally {
    images.dispose();
  }
}

/** Loads the images. Returns whether the file is damaged. */
function load(magick: Magick, images: IMagickImageCollection, bytes: Uint8Array, request: LoadRequest): boolean {
  try {
    const settings = settingsOf(magick, bytes, request);
    if (request.ping) images.ping(bytes, settings);
    else images.read(bytes, settings);
    return false;
  } catch (error) {
    // Images read before the error are available.
    if (error instanceof magick.MagickError && images.length > 0 && !request.ping) return true;
    throw error;
  }
}

function settingsOf(
  magick: Magick,
  bytes: Uint8Array,
  { format, frame, framesBelow, options = {} }: LoadRequest,
): MagickReadSettings {
  const settings = new magick.MagickReadSettings();
  settings.format = coderOf(format, bytes) as NonNullable<MagickReadSettings['format']>;
  if (frame !== undefined) {
    settings.frameIndex = frame;
    settings.frameCount = 1;
  } else if (framesBelow !== undefined) {
    settings.frameIndex = 0;
    settings.frameCount = framesBelow;
  }
  for (const [name, value] of Object.entries(options)) settings.setDefine(name, value);
  return settings;
}

function toFailure(magick: Magick, format: MagickInput, error: unknown): Failure {
  if (!(error instanceof magick.MagickError)) return corruptImage(nameOf(format), wrapForeignError(error));
  if (error.severity === magick.MagickErrorSeverity.ResourceLimitError) {
    return Object.assign(imageTooLarge('what fits into the memory of one request', 'an image that needs more'), {
      cause: error,
    });
  }
  return corruptImage(nameOf(format), error);
}

/**
 * Converts errors that are not ImageMagick's. LibRaw throws C++ exceptions that its build does not catch; they only
 * leak some memory. After a trap or an exit the instance is in an undefined state, so the error is passed on as the
 * cause and the worker is replaced.
 */
function wrapForeignError(error: unknown): Error {
  if (error instanceof WebAssembly.RuntimeError) return error;
  const exception = typeof error === 'object' && error !== null && 'excPtr' in error;
  if (exception) return new Error('an exception of C++ that ImageMagick has not caught');
  return Object.assign(new WebAssembly.RuntimeError('ImageMagick has ended'), { cause: error });
}
