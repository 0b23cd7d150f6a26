/** Reads Macintosh PICT: bitmaps and pixel maps, shapes, and files embedded by QuickTime. */

import type { Size } from '../../../base/geometry.ts';
import { type Bitmap, checkPixels, dropAlpha, type EmbeddedFile } from '../../bitmap.ts';
import { corruptImage, pageOutOfRange, unsupportedFormat } from '../../errors.ts';
import type { FormatReader } from '../../format-reader.ts';
import { probeOf } from '../../legacy/still.ts';
import { Reader } from '../../metadata/bytes.ts';
import { FORMATS } from '../registry.ts';
import { PictDrawing } from './draw.ts';
import { isPixels, type PictHeader, readPictHeader, walkPicture } from './picture.ts';
import { readPixelMap } from './pixels.ts';
import { QUICKTIME_OPCODE, readQuickTime } from './quicktime.ts';
import type { Rect } from './rect.ts';

/** The content of an image, determined without drawing it. */
interface Contents extends Size {
  /** Whether a single pixel map with alpha fills the image. */
  hasAlpha: boolean;
  /** A compressed file that contains the image. */
  embedded: EmbeddedFile | undefined;
}

/** Maximum scale of a bitmap relative to the drawing around it. */
const MAX_SCALE = 16;

/**
 * Determines the size of the image: that of its frame at its resolution, but large enough for each bitmap to keep its
 * pixels, because programs often draw them reduced.
 */
function survey(reader: Reader, header: PictHeader): Contents {
  const { frame, space, resolution } = header;
  const across = space.right - space.left;
  const down = space.bottom - space.top;
  let scaleX = ((frame.right - frame.left) * resolution.x) / 72 / across;
  let scaleY = ((frame.bottom - frame.top) * resolution.y) / 72 / down;
  let drawings = 0;
  let pixelMaps = 0;
  let alphaMaps = 0;
  let foreign = 0;
  let embedded: (EmbeddedFile & { width: number; height: number }) | undefined;
  walkPicture(reader, header, (opcode, at) => {
    if (opcode === QUICKTIME_OPCODE) {
      embedded ??= readQuickTime(reader, at);
      foreign++;
    } else if (isShape(opcode)) {
      drawings++;
    } else if (isPixels(opcode)) {
      const map = readPixelMap(reader, opcode, at);
      if (!map) return undefined;
      pixelMaps++;
      if (map.components === 4 && fills(map.target, space)) alphaMaps++;
      scaleX = Math.max(scaleX, Math.min(MAX_SCALE, ratio(map.source, map.target, 'left', 'right')));
      scaleY = Math.max(scaleY, Math.min(MAX_SCALE, ratio(map.source, map.target, 'top', 'bottom')));
    }
    return undefined;
  });
  if (embedded) return { width: embedded.width, height: embedded.height, hasAlpha: false, embedded };
  if (drawings + pixelMaps === 0) {
    throw unsupportedFormat(
      foreign > 0 ? 'a Macintosh PICT with a QuickTime codec' : 'a Macintosh PICT without an image',
    );
  }
  return {
    width: Math.max(1, Math.round(across * scaleX)),
    height: Math.max(1, Math.round(down * scaleY)),
    hasAlpha: pixelMaps === 1 && alphaMaps === 1 && drawings === 0,
    embedded,
  };
}

/** Whether the opcode is a line or shape, not text. */
const isShape = (opcode: number): boolean => (opcode >= 0x20 && opcode < 0x24) || (opcode >= 0x30 && opcode < 0x90);

function ratio(source: Rect, target: Rect, from: 'left' | 'top', to: 'right' | 'bottom'): number {
  const drawn = target[to] - target[from];
  return drawn > 0 ? (source[to] - source[from]) / drawn : 0;
}

const fills = (target: Rect, { top, left, bottom, right }: Rect): boolean =>
  target.top <= top && target.left <= left && target.bottom >= bottom && target.right >= right;

function open(bytes: Uint8Array, page: number): { reader: Reader; header: PictHeader; contents: Contents } {
  const header = readPictHeader(bytes);
  if (!header) throw corruptImage(FORMATS.pict.name);
  if (page > 1) throw pageOutOfRange(page, 1);
  const reader = new Reader(bytes, FORMATS.pict.name);
  return { reader, header, contents: survey(reader, header) };
}

export const reader: FormatReader = {
  probe(bytes, { page }) {
    return probeOf(open(bytes, page).contents, 1);
  },
  decode(bytes, { page, maxPixels }) {
    const { reader, header, contents } = open(bytes, page);
    checkPixels(contents, maxPixels);
    const { width, height, embedded, hasAlpha } = contents;
    if (embedded) return { embedded: { format: embedded.format, bytes: embedded.bytes } };
    const drawing = new PictDrawing(reader, header.space, width, height);
    const whole = walkPicture(reader, header, (opcode, at) => {
      drawing.draw(opcode, at);
      return drawing.canvas.exhausted;
    });
    const size = { width, height, density: densityOf(header, width), truncated: !whole || drawing.canvas.exhausted };
    const { rgba } = drawing.canvas;
    return {
      bitmap: hasAlpha
        ? { ...size, channels: 4, data: filledAlpha(rgba) }
        : { ...size, channels: 3, data: dropAlpha(rgba) },
    };
  },
};

/** Returns the density unless it is the usual 72 dots per inch, which means nothing. */
function densityOf({ space, resolution }: PictHeader, width: number): Bitmap['density'] {
  const native = width === space.right - space.left;
  return native && resolution.x !== 72 ? resolution : undefined;
}

/** Makes an image opaque whose alpha channel is zero everywhere: some programs declare alpha and never fill it. */
function filledAlpha(rgba: Uint8Array): Uint8Array {
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] !== 0) return rgba;
  for (let at = 3; at < rgba.length; at += 4) rgba[at] = 255;
  return rgba;
}
