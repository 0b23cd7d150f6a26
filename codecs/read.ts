/** Bytes to picture: header first, limits on what the header says, then pixels. */
import type { Bitmap } from './bitmap.ts';
import { decodeBmp, probeBmp } from './bmp-read.ts';
import { type ColourRequest, toWorkingSpace } from './colour.ts';
import { corruptImage, pageOutOfRange, unsupportedFormat } from './errors.ts';
import type { InputFormat } from './formats.ts';
import { decodeIco, probeIco } from './ico-read.ts';
import { LOADERS, type LoadOptions } from './loaders.ts';
import type { Header, Picture, Timing } from './picture.ts';
import { sniff } from './sniff.ts';
import type { Image, VipsApi } from './vips.ts';

/** What players use when a frame has no delay of its own. */
const DEFAULT_DELAY_MS = 100;

const BYTES_PER_SAMPLE: Record<string, number> = {
  uchar: 1,
  char: 1,
  ushort: 2,
  short: 2,
  uint: 4,
  int: 4,
  float: 4,
  complex: 8,
  double: 8,
  dpcomplex: 16,
};
const ANIMATED: ReadonlySet<InputFormat> = new Set(['gif', 'webp']);
const SIDEWAYS_FROM = 5;

/**
 * A picture that cannot be decoded to its end. Not a `Failure`: the caller tries again and takes what can be read.
 * libvips' own errors come as exceptions of WebAssembly; {@link isDecodeError} knows both.
 */
class Truncated {
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

/** The format of a file, from its content. @throws Failure `unsupported_format` */
export function formatOf(bytes: Uint8Array): InputFormat {
  const sniffed = sniff(bytes);
  if (sniffed && 'format' in sniffed) return sniffed.format;
  throw unsupportedFormat(sniffed?.unsupported);
}

function integer(image: Image, field: string): number | undefined {
  return image.getTypeof(field) === 0 ? undefined : image.getInt(field);
}

function timingOf(image: Image, frames: number): Timing {
  const stored = image.getTypeof('delay') === 0 ? [] : image.getArrayInt('delay');
  const delays = Array.from({ length: frames }, (_, index) => stored[index] ?? DEFAULT_DELAY_MS);
  return { delays, loop: integer(image, 'loop') ?? 0 };
}

/** Whether a file of a format that we read as one picture holds an animation: APNG, AVIF sequence, JPEG XL frames. */
function isMovingStill(format: InputFormat, pages: number, bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (format === 'png')
    return file.subarray(0, Math.max(0, file.indexOf('IDAT', 0, 'latin1'))).includes('acTL', 0, 'latin1');
  if (format === 'avif') return file.toString('latin1', 8, 12) === 'avis';
  return format === 'jxl' && pages > 1;
}

function headerOf(format: InputFormat, image: Image, bytes: Uint8Array): Header {
  const pages = integer(image, 'n-pages') ?? 1;
  const frames = ANIMATED.has(format) ? pages : 1;
  const orientation = integer(image, 'orientation') ?? 1;
  const sideways = orientation >= SIDEWAYS_FROM;
  const bytesPerSample = BYTES_PER_SAMPLE[String(image.format)] ?? 1;
  return {
    format,
    storedWidth: image.width,
    storedHeight: image.height,
    width: sideways ? image.height : image.width,
    height: sideways ? image.width : image.height,
    orientation,
    pages,
    frames,
    timing: frames > 1 ? timingOf(image, frames) : null,
    animated: frames > 1 || isMovingStill(format, pages, bytes),
    bytesPerPixel: image.bands * bytesPerSample,
    depth: bytesPerSample === 1 ? 8 : bytesPerSample === 2 ? 16 : 32,
    hasAlpha: image.hasAlpha(),
    interlaced: integer(image, 'interlaced') === 1,
  };
}

export interface OpenRequest extends ColourRequest {
  /** Keep every frame of an animation. */
  animation: boolean;
  shrink: LoadOptions['shrink'];
  /** Rows will be asked for once, from top to bottom. Only for formats that stream, and upright pictures. */
  sequential: boolean;
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
}

/** A file whose header has been read. */
export interface Source {
  header: Header;
  /** Whether libvips decodes it row by row. */
  streams: boolean;
  /** Whether it can be decoded at a smaller size. */
  shrinks: boolean;
  /** @throws Failure `corrupt_image` here, or a libvips error as soon as pixels are asked for */
  open(request: OpenRequest): Promise<OpenedPicture>;
}

/**
 * Reads the header of one page.
 * @throws Failure `corrupt_image`, `page_out_of_range`
 */
export async function openSource(vips: VipsApi, bytes: Uint8Array, format: InputFormat, page: number): Promise<Source> {
  const loader = LOADERS[format];
  if (format === 'bmp' || format === 'ico') return bitmapSource(vips, bytes, format, page);
  if (!loader) throw unsupportedFormat(format);

  const load = (options: Partial<LoadOptions>): Image => {
    try {
      return loader.load(vips, bytes, {
        page,
        allFrames: false,
        shrink: 1,
        sequential: true,
        tolerant: true,
        ...options,
      });
    } catch (error) {
      throw corruptImage(format, vipsMessage(error));
    }
  };
  const first = load({ page: 1 });
  const pages = integer(first, 'n-pages') ?? 1;
  if (page > pages) throw pageOutOfRange(page, pages);
  const header = headerOf(format, page === 1 ? first : load({}), bytes);

  return {
    header,
    // The passes of an interlaced PNG come one after the other, so all of it is decoded before its first row is known.
    streams: loader.streams && !(format === 'png' && header.interlaced),
    shrinks: loader.shrinks,
    async open(request) {
      const allFrames = request.animation && header.frames > 1;
      const loaded = load({ ...request, allFrames });
      const { image, icc, converted } = toWorkingSpace(vips, loaded, request);
      const upright = header.orientation === 1 ? image : image.autorot();
      if (!allFrames) return { frames: [upright], timing: null, icc, converted };
      return { frames: split(upright, header.frames), timing: header.timing, icc, converted };
    },
  };
}

/** The frames of an animation that libvips has laid out one below the other. */
function split(column: Image, frames: number): [Image, ...Image[]] {
  // Each frame is cut out of the whole column, so the column must be in memory, not decoded again for each.
  const decoded = column.copyMemory();
  const height = decoded.height / frames;
  const frame = (index: number) => decoded.crop(0, index * height, decoded.width, height);
  return [frame(0), ...Array.from({ length: frames - 1 }, (_, index) => frame(index + 1))];
}

/** BMP and ICO, which libvips does not read: our own readers, and libvips again for the files that they may hold inside. */
async function bitmapSource(vips: VipsApi, bytes: Uint8Array, format: 'bmp' | 'ico', page: number): Promise<Source> {
  const { width, height, pages } = format === 'ico' ? probeIco(bytes, page) : { ...probeBmp(bytes), pages: 1 };
  if (page > pages) throw pageOutOfRange(page, pages);
  const header: Header = {
    format,
    storedWidth: width,
    storedHeight: height,
    width,
    height,
    orientation: 1,
    pages,
    frames: 1,
    timing: null,
    animated: false,
    bytesPerPixel: 4,
    depth: 8,
    hasAlpha: format === 'ico',
    interlaced: false,
  };
  return {
    header,
    streams: false,
    shrinks: false,
    async open(request) {
      const content = format === 'ico' ? decodeIco(bytes, page, width * height) : decodeBmp(bytes, width * height);
      if ('bitmap' in content) return openBitmap(vips, format, content.bitmap, request);
      const inner = await openSource(vips, content.embedded.bytes, content.embedded.format, 1);
      // The outer header is what the limits were checked on.
      if (inner.header.width !== width || inner.header.height !== height) throw corruptImage(format);
      return inner.open({ ...request, sequential: false, shrink: 1 });
    },
  };
}

function openBitmap(vips: VipsApi, format: 'bmp' | 'ico', bitmap: Bitmap, request: OpenRequest): OpenedPicture {
  if (bitmap.truncated && !request.tolerant) throw new Truncated(format);
  const { data, width, height, channels, icc: profile } = bitmap;
  const samples = vips.Image.newFromMemory(data, width, height, channels, vips.BandFormat.uchar);
  const image = samples.copy({ interpretation: 'srgb' });
  if (profile) image.setBlob('icc-profile-data', profile);
  const { image: upright, icc, converted } = toWorkingSpace(vips, image, request);
  return { frames: [upright], timing: null, icc, converted };
}
