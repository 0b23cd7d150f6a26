/** Opens the formats that libvips decodes. */
import {
  type DecodedPixels,
  type Header,
  type ImageFacts,
  imageInMemory,
  mapFrames,
  type Timing,
} from './decoded-image.ts';
import { corruptImage, pageOutOfRange } from './errors.ts';
import type { ReaderContext } from './format-reader.ts';
import { FORMATS, type InputFormat } from './formats/registry.ts';
import { factsOf, headerOf, integer, splitFrames, withFacts } from './image-header.ts';
import type { Loader, LoadOptions } from './loader.ts';
import type { Modules } from './modules.ts';
import { uprightSize } from './orient.ts';
import { DEFAULT_DELAY_MS } from './played-delays.ts';
import { type OpenRequest, type Source, Truncated, vipsMessage } from './source.ts';
import { type Image, trackHandles, type VipsApi } from './vips.ts';
import { toWorkingSpace } from './working-space.ts';

/**
 * Reads the header of one page.
 * @throws Failure `corrupt_image`, `page_out_of_range`
 */
export function openVipsSource(
  context: ReaderContext,
  loader: Loader,
  bytes: Uint8Array,
  format: InputFormat,
  page: number,
): Source {
  const files = loader.files?.(bytes);
  if (files && files.length > 1) return openOneOf(context, loader, files, format, page);
  return openFile(context, loader, bytes, format, page);
}

/** Opens one of several files in a file; each of them is a page. */
function openOneOf(
  context: ReaderContext,
  loader: Loader,
  files: readonly Uint8Array[],
  format: InputFormat,
  page: number,
): Source {
  const file = files[page - 1];
  if (!file) throw pageOutOfRange(page, files.length);
  const source = openFile(context, loader, file, format, 1);
  return { ...source, header: { ...source.header, pages: files.length } };
}

function openFile(
  { vips, modules }: ReaderContext,
  loader: Loader,
  bytes: Uint8Array,
  format: InputFormat,
  page: number,
): Source {
  const { bytes: file, added } = loader.repair?.(bytes) ?? { bytes, added: 0 };
  const load = (from: number, options: Partial<LoadOptions> = {}, whole = file): Image => {
    try {
      return loader.load(vips, whole, {
        page: added + from,
        allFrames: false,
        shrink: 1,
        sequential: true,
        tolerant: true,
        ...options,
      });
    } catch (error) {
      throw corruptImage(FORMATS[format].name, vipsMessage(error));
    }
  };
  const own = page === 1 ? loader.readFacts?.(modules, file) : undefined;
  const { facts, pages, timing } = own
    ? { facts: own, pages: 1, timing: null }
    : readPage(vips, load, { format, page, added });
  const header = headerOf(format, facts, {
    pages,
    timing,
    animated: timing !== null || (loader.isAnimated?.(bytes, pages) ?? false),
  });

  const codePoints = FORMATS[format].readCodePoints?.(bytes);

  return {
    header,
    streams: (FORMATS[format].streams ?? false) && !(loader.holdsInterlaced && header.interlaced),
    decoderBytes: loader.decoderBytes?.(header, file, page) ?? 0,
    workingBytes: header.width * header.height * loader.workingBytesPerPixel(header),
    shrinks: loader.shrinks,
    opensLazily: true,
    async open(request) {
      if (!request.tolerant && loader.endsEarly?.(bytes)) throw new Truncated(format);
      const allFrames = request.animation && header.frames > 1;
      const whole = request.tolerant ? await loader.recover?.(file) : undefined;
      // All frames are copied below, once and in order, so a loader need not keep them as well.
      const sequential = request.sequential || allFrames;
      const loadLazily = () =>
        (request.tolerant && loader.loadTruncated?.(vips, bytes, { ...request, page, allFrames, sequential })) ||
        load(allFrames ? 1 : page, { ...request, allFrames, sequential }, whole);
      const small = resized(modules, loader, header, file, request);
      const pixels = small ?? decodedOrLazy(modules, loader, header, whole ?? file, request, loadLazily());
      const isDecoded = 'data' in pixels;
      const loaded = isDecoded ? withFacts(vips, pixels, facts) : pixels;
      const { image, ...colour } = toWorkingSpace(vips, loaded, request, codePoints);
      const upright = (frame: Image) => (header.orientation === 1 ? frame : frame.autorot());
      if (!allFrames) {
        const inMemory = isDecoded && image === loaded && header.orientation === 1;
        return { frames: [upright(image)], timing: null, ...colour, inMemory };
      }
      // Each frame is cropped from the whole column, which must not be decoded again for each of them.
      const inMemory = !request.sequential;
      const column = inMemory ? imageInMemory(image) : image;
      const opened = { frames: splitFrames(column, header.frames), column, timing: header.timing, ...colour, inMemory };
      return header.orientation === 1 ? opened : { ...opened, ...mapFrames(opened, upright) };
    },
  };
}

/** Returns the image at the requested size, if its decoder can resize it. */
function resized(
  modules: Modules,
  { decodeResized }: Loader,
  { storedWidth, storedHeight, orientation, interlaced }: Header,
  file: Uint8Array,
  { size, animation, tolerant }: OpenRequest,
): DecodedPixels | undefined {
  // Skips damaged files, because resizing has already failed for them.
  if (!size || animation || tolerant) return undefined;
  // Swapping width and height also converts the upright size to the stored size.
  return decodeResized?.(modules, file, {
    pixels: storedWidth * storedHeight,
    interlaced,
    size: uprightSize(size, orientation),
  });
}

/**
 * Returns the image decoded by its own decoder if all of it is needed and the decoder supports the file; otherwise as
 * libvips loads it.
 */
function decodedOrLazy(
  modules: Modules,
  { decode }: Loader,
  { interlaced }: Header,
  file: Uint8Array,
  { sequential, copied, shrink }: OpenRequest,
  lazy: Image,
): DecodedPixels | Image {
  const { width, height } = lazy;
  const isWhole = !sequential || copied;
  return (isWhole && decode?.(modules, file, { width, height, interlaced, shrink })) || lazy;
}

/**
 * Reads the facts of a page.
 * @throws Failure `corrupt_image`, `page_out_of_range`
 */
function readPage(
  vips: VipsApi,
  load: (page: number) => Image,
  { format, page, added }: { format: InputFormat; page: number; added: number },
): { facts: ImageFacts; pages: number; timing: Timing | null } {
  const handles = trackHandles(vips);
  const first = load(1);
  const pages = pagesOf(first) - added;
  if (pages < 1) throw corruptImage(FORMATS[format].name, 'no image');
  if (page > pages) throw pageOutOfRange(page, pages);
  const shown = page === 1 ? first : load(page);
  const timing = FORMATS[format].animation && pages > 1 ? timingOf(shown, pages, added) : null;
  const facts = factsOf(shown);
  // Some loaders allocate memory for the whole image as soon as they have read its header.
  handles.free();
  return { facts, pages, timing };
}

const pagesOf = (image: Image): number => integer(image, 'n-pages') ?? 1;

/**
 * Reads the timing of an animation.
 * @param added number of frames in front, which are skipped
 */
function timingOf(image: Image, frames: number, added: number): Timing {
  const stored = image.getTypeof('delay') === 0 ? [] : image.getArrayInt('delay').slice(added);
  const delays = Array.from({ length: frames }, (_, index) => stored[index] ?? DEFAULT_DELAY_MS);
  return { delays, loop: integer(image, 'loop') ?? 0 };
}
