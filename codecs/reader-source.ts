/** Opens the formats that our own readers decode (readers.ts). */
import type { Bitmap, BitmapContent, EmbeddedFile } from './bitmap.ts';
import type { CodePoints } from './code-points.ts';
import { ICC_FIELD } from './colour.ts';
import type { Header } from './decoded-image.ts';
import { corruptImage, pageOutOfRange } from './errors.ts';
import type { FormatReader, PageRequest, Probe, ReaderContext } from './format-reader.ts';
import { FORMATS, type InputFormat } from './formats/registry.ts';
import type { Shrink } from './shrink.ts';
import { drawnSize } from './size.ts';
import { type OpenedImage, type OpenRequest, type Source, Truncated } from './source.ts';
import type { Image, VipsApi } from './vips.ts';
import { toWorkingSpace } from './working-space.ts';

const COLOUR_SAMPLES = 3;

type OpenFile = (file: EmbeddedFile) => Promise<Source>;

/**
 * Decoded content of files that end early, keyed by their memory. It was refused because it is incomplete. Usually the
 * caller immediately requests it again and accepts it incomplete, and a large page takes seconds to decode.
 */
const truncatedContents = new WeakMap<ArrayBufferLike, { key: string; content: BitmapContent }>();

/**
 * Reads the header of one page.
 * @param openFile opens a file inside the file
 * @throws Failure `corrupt_image`, `page_out_of_range`, and the other failures of the format's reader
 */
export async function openReaderSource(
  context: ReaderContext,
  reader: FormatReader,
  bytes: Uint8Array,
  format: InputFormat,
  request: PageRequest,
  openFile: OpenFile,
): Promise<Source> {
  const probe = await reader.probe(bytes, request, context);
  if (request.page > probe.pages) throw pageOutOfRange(request.page, probe.pages);

  const atScale = (scale: number): Source => {
    const header = headerOf(format, probe, scale);
    const { width, height } = header;
    const bitmapBytes = width * height * header.bytesPerPixel;
    const keyOf = (shrink: Shrink) =>
      JSON.stringify([format, bytes.byteOffset, bytes.byteLength, request, scale, shrink]);
    const decodings = new Map<Shrink, Promise<BitmapContent>>();
    // Decode once, even if the caller first looks at the pixels to decide how to encode them.
    const decode = (shrink: Shrink) => {
      const earlier = truncatedContents.get(bytes.buffer);
      truncatedContents.delete(bytes.buffer);
      const decoding =
        decodings.get(shrink) ??
        (earlier?.key === keyOf(shrink)
          ? Promise.resolve(earlier.content)
          : Promise.resolve(reader.decode(bytes, { ...request, maxPixels: width * height, scale, shrink }, context)));
      decodings.set(shrink, decoding);
      return decoding;
    };
    return {
      header,
      streams: false,
      decoderBytes: 0,
      // The bitmap stays in memory until the task ends.
      workingBytes: bitmapBytes + (probe.workingBytes === undefined ? bitmapBytes : probe.workingBytes * scale ** 2),
      shrinks: reader.shrinks ?? false,
      ...(reader.scalable ? { scaled: (factor: number) => atScale(scale * factor) } : {}),
      async open(wanted) {
        const shrink = reader.shrinks ? wanted.shrink : 1;
        const content = await decode(shrink);
        if ('bitmap' in content) {
          const bitmap = checkSize(content.bitmap, header, shrink);
          if (bitmap.truncated && !wanted.tolerant) {
            truncatedContents.set(bytes.buffer, { key: keyOf(shrink), content });
            throw new Truncated(format);
          }
          return openBitmap(context.vips, bitmap, wanted, FORMATS[format].readCodePoints?.(bytes));
        }
        const inner = await openFile(content.embedded);
        // The limits were checked against the outer header.
        checkSize(inner.header, header);
        return inner.open({ ...wanted, sequential: false, shrink: 1 });
      },
    };
  };
  return atScale(1);
}

function checkSize<T extends { width: number; height: number }>(decoded: T, header: Header, shrink: Shrink = 1): T {
  const { format } = header;
  const [width, height] = [Math.ceil(header.width / shrink), Math.ceil(header.height / shrink)];
  if (decoded.width === width && decoded.height === height) return decoded;
  throw corruptImage(FORMATS[format].name, `${decoded.width} x ${decoded.height} instead of ${width} x ${height}`);
}

function headerOf(format: InputFormat, probe: Probe, scale: number): Header {
  const { width, height } = drawnSize(probe, scale);
  return {
    format,
    storedWidth: width,
    storedHeight: height,
    width,
    height,
    orientation: 1,
    pages: probe.pages,
    frames: 1,
    timing: null,
    animated: probe.animated ?? false,
    bytesPerPixel: ((probe.channels ?? COLOUR_SAMPLES + (probe.hasAlpha ? 1 : 0)) * probe.depth) / 8,
    depth: probe.depth,
    storedDepth: probe.storedDepth ?? probe.depth,
    hasAlpha: probe.hasAlpha,
    interlaced: false,
    preview: probe.preview ?? false,
  };
}

function openBitmap(
  vips: VipsApi,
  bitmap: Bitmap,
  request: OpenRequest,
  codePoints: CodePoints | undefined,
): OpenedImage {
  const { image, ...colour } = toWorkingSpace(vips, imageOf(vips, bitmap), request, codePoints);
  return { frames: [image], timing: null, ...colour, converted: colour.converted || bitmap.converted === true };
}

const GREY_CHANNELS = 2;

function imageOf(vips: VipsApi, { data, width, height, channels, icc }: Bitmap): Image {
  const deep = data instanceof Uint16Array;
  const band = deep ? vips.BandFormat.ushort : vips.BandFormat.uchar;
  const grey = channels <= GREY_CHANNELS;
  const image = vips.Image.newFromMemory(data, width, height, channels, band).copy({
    interpretation: grey ? (deep ? 'grey16' : 'b-w') : deep ? 'rgb16' : 'srgb',
  });
  if (icc) image.setBlob(ICC_FIELD, icc);
  return image;
}
