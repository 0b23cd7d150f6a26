/** Paints the foreground of a page over its background (DjVu 3 Specification, 2005, section 7.1.3). */
import type { Coverage, Mask } from './mask.ts';
import type { Palette } from './palette.ts';
import type { Raster } from './raster.ts';

/** Paints the black pixels of a shape in one colour. Parts outside the page are cut off. */
export function paintShape(
  page: Raster,
  shape: Mask,
  left: number,
  top: number,
  palette: Palette,
  colour: number,
): void {
  const { data, width, height, channels } = page;
  const end = Math.min(shape.height, height - top);
  for (let row = Math.max(0, -top); row < end; row++) {
    const start = (top + row) * width;
    for (let index = 0; index < shape.stride; index++) {
      let word = shape.words[row * shape.stride + index]!;
      for (; word !== 0; word &= word - 1) {
        const x = left + index * 32 + 31 - Math.clz32(word & -word);
        if (x < 0 || x >= width) continue;
        const at = (start + x) * channels;
        for (let channel = 0; channel < channels; channel++) {
          data[at + channel] = palette.colours[colour * 3 + channel]!;
        }
      }
    }
  }
}

/**
 * Paints a foreground layer through a mask of the size of the page. Each pixel of the layer colours a square of
 * `reduction` x `reduction` pixels, the first at the bottom left corner of the page.
 */
export function paintLayer(page: Raster, mask: Mask, layer: Raster, reduction: number): void {
  const { data, width, height, channels } = page;
  // A grey layer on a coloured page sets all channels to the same value.
  const next = layer.channels === 1 ? 0 : 1;
  for (let y = 0; y < height; y++) {
    const layerRow = layer.height - 1 - Math.floor((height - 1 - y) / reduction);
    for (let index = 0; index < mask.stride; index++) {
      let word = mask.words[y * mask.stride + index]!;
      for (; word !== 0; word &= word - 1) {
        const x = index * 32 + 31 - Math.clz32(word & -word);
        if (x >= width) continue;
        const from = (layerRow * layer.width + Math.floor(x / reduction)) * layer.channels;
        const at = (y * width + x) * channels;
        for (let channel = 0; channel < channels; channel++) data[at + channel] = layer.data[from + channel * next]!;
      }
    }
  }
}

/** The colours with which a reduced page is painted. */
export interface Ink {
  samples: Uint8Array;
  channels: 1 | 3;
  /** Returns the index of the first sample of a pixel's colour, by its column and row from the top. */
  at(x: number, y: number): number;
}

/** Paints a reduced page, with the share of black in a square as the opacity of the colour. */
export function paintCoverage(page: Raster, coverage: Coverage, ink: Ink): void {
  const { data, width, channels } = page;
  const next = ink.channels === 1 ? 0 : 1;
  for (let pixel = 0; pixel < coverage.data.length; pixel++) {
    const share = coverage.data[pixel]!;
    if (share === 0) continue;
    const from = ink.at(pixel % width, Math.floor(pixel / width));
    const at = pixel * channels;
    for (let channel = 0; channel < channels; channel++) {
      const own = data[at + channel]!;
      data[at + channel] = Math.round(own + ((ink.samples[from + channel * next]! - own) * share) / 255);
    }
  }
}

/**
 * Returns a layer as the colours of a reduced page.
 * @param reduction pixels of that page for each pixel of the layer
 */
export function layerInk(layer: Raster, reduction: number, page: Raster): Ink {
  const { data, width, height, channels } = layer;
  const along = (at: number, count: number) => Math.min(count - 1, Math.floor((at + 0.5) / reduction));
  return {
    samples: data,
    channels,
    at: (x, y) => ((height - 1 - along(page.height - 1 - y, height)) * width + along(x, width)) * channels,
  };
}
