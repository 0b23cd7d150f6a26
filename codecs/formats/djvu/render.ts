/**
 * Draws a page: its background, and over it its foreground through the mask (DjVu 3 Specification, 2005, section
 * 7.1.3).
 */
import type { Size } from '../../../base/geometry.ts';
import { corruptImage } from '../../errors.ts';
import type { ReaderContext } from '../../format-reader.ts';
import { Kernels } from '../../kernels/kernels.ts';
import { largestShrink, type Shrink } from '../../shrink.ts';
import type { VipsApi } from '../../vips.ts';
import { FORMATS } from '../registry.ts';
import type { Chunk } from './chunks.ts';
import type { DjvuPage } from './document.ts';
import { enlarge } from './enlarge.ts';
import { decodeFaxMask, decodeJpegLayer } from './foreign.ts';
import type { PageInfo } from './info.ts';
import { decodeIw44, readIw44Header } from './iw44.ts';
import { budgetFor, decodeJb2, type PlacedShape } from './jb2.ts';
import { createMask, type Mask, reduceMask, stamp } from './mask.ts';
import { chunksOf, sharedShapes } from './page.ts';
import { layerInk, paintCoverage, paintLayer, paintShape } from './paint.ts';
import { type Palette, readPalette } from './palette.ts';
import { correctGamma, type Raster, reducedSize, reductionOf, rotate, shrinkRaster, toColour } from './raster.ts';

export interface Rendered {
  raster: Raster;
  truncated: boolean;
}

/** Maximum words of shapes that are stamped onto a page: far more than real pages need, and no more than a second. */
const MAX_STAMPED_WORDS = 1 << 25;

const BLACK: Raster = { data: new Uint8Array(1), width: 1, height: 1, channels: 1 };

/**
 * Draws a page. The caller has checked that it is small enough to allocate.
 * @param reduction how many times smaller the page is drawn; its size is rounded up
 * @throws Failure `corrupt_image` when nothing of it can be read
 */
export function renderPage(page: DjvuPage, { vips, modules }: ReaderContext, reduction: Shrink = 1): Rendered {
  // New kernels for each page, because WebAssembly memory never shrinks.
  return new Renderer(page, vips, new Kernels(modules.kernels), reduction).render();
}

/** A decoded layer. One of its pixels covers `reduction` x `reduction` pixels of the result. */
interface Layer {
  raster: Raster;
  reduction: number;
}

class Renderer {
  readonly #page: DjvuPage;
  readonly #info: PageInfo;
  readonly #vips: VipsApi;
  readonly #kernels: Kernels;
  /**
   * How many times smaller than the page the result is, and, in the second field, the raster on which it is painted.
   */
  readonly #shrink: Shrink;
  readonly #reduction: Shrink;
  /** Size of the painted raster before it is rotated. */
  readonly #size: Size;
  readonly #chunks: Chunk[];
  #truncated: boolean;

  constructor(page: DjvuPage, vips: VipsApi, kernels: Kernels, reduction: Shrink) {
    this.#page = page;
    this.#info = page.info;
    this.#vips = vips;
    this.#kernels = kernels;
    this.#chunks = chunksOf(page);
    this.#shrink = reduction;
    // In a square with shapes of several colours, the share of each is known only at the full size.
    this.#reduction = this.#find('FGbz') ? 1 : reduction;
    this.#size = reducedSize(page.info, this.#reduction);
    this.#truncated = page.form.truncated || this.#chunks.some(({ truncated }) => truncated);
  }

  render(): Rendered {
    const background = this.#background();
    const shapes = this.#shapes();
    const fax = shapes ? undefined : this.#fax();
    if (!background && !shapes && !fax && this.#truncated) throw corruptImage(FORMATS.djvu.name, 'no layer');

    let raster = background ?? this.#blank();
    if (shapes) raster = this.#paintShapes(raster, shapes);
    else if (fax) raster = this.#paintMask(raster, fax);
    if (this.#reduction < this.#shrink) raster = shrinkRaster(raster, this.#shrink);
    return { raster: rotate(raster, this.#info.rotation), truncated: this.#truncated };
  }

  #find(id: string): Chunk | undefined {
    return this.#chunks.find((chunk) => chunk.id === id);
  }

  /** Records that a part of the page could not be decoded completely. Missing parts are not drawn. */
  #noteFaults<T extends object>(decoded: T | undefined): T | undefined {
    if (!decoded || ('truncated' in decoded && decoded.truncated)) this.#truncated = true;
    return decoded;
  }

  #blank(): Raster {
    const { width, height } = this.#size;
    return { data: new Uint8Array(width * height).fill(255), width, height, channels: 1 };
  }

  #background(): Raster | undefined {
    const layer = this.#layer('BG44', 'BGjp');
    if (!layer) return undefined;
    const enlarged = enlarge(this.#kernels, layer.raster, layer.reduction, this.#size);
    correctGamma(enlarged.data, this.#info.gamma);
    return enlarged;
  }

  /** Decodes a layer as small as the result allows; undefined if its size does not fit the page. */
  #layer(wavelets: string, jpeg: string): Layer | undefined {
    const chunks = this.#chunks.filter(({ id }) => id === wavelets).map(({ data }) => data);
    if (chunks[0]) {
      const header = readIw44Header(chunks[0]);
      const reduction = header && reductionOf(header, this.#info);
      if (!reduction) {
        this.#truncated = true;
        return undefined;
      }
      // Wavelet samples are points, not means of squares. Decoding at twice the size and averaging four is more exact.
      const shrink = largestShrink(this.#reduction / reduction / 2);
      const raster = this.#noteFaults(decodeIw44(this.#kernels, header, chunks, shrink));
      return raster && { raster, reduction: (reduction * shrink) / this.#reduction };
    }
    const chunk = this.#find(jpeg);
    if (!chunk) return undefined;
    const shrinkOf = (reduction: number) => largestShrink(this.#reduction / reduction);
    const decoded = this.#noteFaults(decodeJpegLayer(this.#vips, chunk.data, this.#info, shrinkOf));
    return decoded && { raster: decoded, reduction: decoded.reduction / this.#reduction };
  }

  #shapes(): PlacedShape[] | undefined {
    const chunk = this.#find('Sjbz');
    if (!chunk) return undefined;
    const budget = budgetFor(this.#info);
    return this.#noteFaults(decodeJb2(chunk.data, () => sharedShapes(this.#page, budget), budget))?.placed;
  }

  #fax(): Mask | undefined {
    const chunk = this.#find('Smmr');
    return chunk && this.#noteFaults(decodeFaxMask(this.#vips, chunk.data, this.#info));
  }

  #paintShapes(raster: Raster, placed: readonly PlacedShape[]): Raster {
    const colours = this.#find('FGbz');
    const palette = colours && this.#noteFaults(readPalette(colours.data));
    if (palette) return this.#paintInColours(toColour(raster), placed, palette);
    const mask = createMask(this.#info.width, this.#info.height);
    this.#forEach(placed, (shape, left, top) => stamp(mask, shape, left, top));
    return this.#paintMask(raster, mask);
  }

  #paintInColours(raster: Raster, placed: readonly PlacedShape[], palette: Palette): Raster {
    correctGamma(palette.colours, this.#info.gamma);
    this.#forEach(placed, (shape, left, top, index) => {
      paintShape(raster, shape, left, top, palette, palette.colourOf(index));
    });
    return raster;
  }

  #forEach(
    placed: readonly PlacedShape[],
    paint: (shape: Mask, left: number, top: number, index: number) => void,
  ): void {
    let words = 0;
    for (const [index, { shape, left, bottom }] of placed.entries()) {
      words += shape.words.length;
      if (words > MAX_STAMPED_WORDS) {
        this.#truncated = true;
        return;
      }
      paint(shape, left, this.#info.height - bottom - shape.height, index);
    }
  }

  #paintMask(raster: Raster, mask: Mask): Raster {
    const layer = this.#layer('FG44', 'FGjp');
    if (layer) correctGamma(layer.raster.data, this.#info.gamma);
    const { raster: colours, reduction } = layer ?? { raster: BLACK, reduction: Number.POSITIVE_INFINITY };
    const target = colours.channels === 3 ? toColour(raster) : raster;
    if (this.#reduction === 1) paintLayer(target, mask, colours, reduction);
    else paintCoverage(target, reduceMask(mask, this.#reduction), layerInk(colours, reduction, target));
    return target;
  }
}
