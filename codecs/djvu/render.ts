/** Draws a page: its background, and over it its foreground through the mask (DjVu 3 Specification, 2005, section 7.1.3). */
import { corruptImage } from '../errors.ts';
import { FORMATS } from '../formats.ts';
import type { VipsApi } from '../vips.ts';
import type { Chunk } from './chunks.ts';
import type { DjvuPage } from './document.ts';
import { enlarge } from './enlarge.ts';
import { decodeFaxMask, decodeJpegLayer } from './foreign.ts';
import type { PageInfo } from './info.ts';
import { decodeIw44, readIw44Header } from './iw44.ts';
import { budgetFor, decodeJb2, type Placed } from './jb2.ts';
import { createMask, type Mask, stamp } from './mask.ts';
import { chunksOf, sharedShapes } from './page.ts';
import { paintLayer, paintShape } from './paint.ts';
import { type Palette, readPalette } from './palette.ts';
import { correctGamma, type Raster, reductionOf, rotate, toColour } from './raster.ts';

export interface Rendered {
  raster: Raster;
  truncated: boolean;
}

/** Words of shapes that are stamped onto a page: far more than any needs, and no more than a second. */
const MAX_STAMPED_WORDS = 1 << 25;

const BLACK: Raster = { data: new Uint8Array(1), width: 1, height: 1, channels: 1 };

/** The caller has checked that the page is small enough to allocate. @throws Failure `corrupt_image` when nothing of it can be read */
export function renderPage(page: DjvuPage, vips: VipsApi): Rendered {
  return new Renderer(page, vips).render();
}

class Renderer {
  readonly #page: DjvuPage;
  readonly #info: PageInfo;
  readonly #vips: VipsApi;
  readonly #chunks: Chunk[];
  #truncated: boolean;

  constructor(page: DjvuPage, vips: VipsApi) {
    this.#page = page;
    this.#info = page.info;
    this.#vips = vips;
    this.#chunks = chunksOf(page);
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
    return { raster: rotate(raster, this.#info.rotation), truncated: this.#truncated };
  }

  #find(id: string): Chunk | undefined {
    return this.#chunks.find((chunk) => chunk.id === id);
  }

  /** What a part of the page is decoded to. What of it cannot be read is missing from the picture. */
  #noteFaults<T extends object>(decoded: T | undefined): T | undefined {
    if (!decoded || ('truncated' in decoded && decoded.truncated)) this.#truncated = true;
    return decoded;
  }

  #blank(): Raster {
    const { width, height } = this.#info;
    return { data: new Uint8Array(width * height).fill(255), width, height, channels: 1 };
  }

  #background(): Raster | undefined {
    const layer = this.#layer('BG44', 'BGjp');
    if (!layer) return undefined;
    const enlarged = enlarge(layer, reductionOf(layer, this.#info)!, this.#info);
    correctGamma(enlarged.data, this.#info.gamma);
    return enlarged;
  }

  /** A layer of a size that fits the page. */
  #layer(wavelets: string, jpeg: string): Raster | undefined {
    const chunks = this.#chunks.filter(({ id }) => id === wavelets).map(({ data }) => data);
    if (chunks[0]) {
      const header = readIw44Header(chunks[0]);
      const fits = header && reductionOf(header, this.#info) !== undefined;
      return this.#noteFaults(fits ? decodeIw44(header, chunks) : undefined);
    }
    const chunk = this.#find(jpeg);
    return chunk && this.#noteFaults(decodeJpegLayer(this.#vips, chunk.data, this.#info));
  }

  #shapes(): Placed[] | undefined {
    const chunk = this.#find('Sjbz');
    if (!chunk) return undefined;
    const budget = budgetFor(this.#info);
    return this.#noteFaults(decodeJb2(chunk.data, () => sharedShapes(this.#page, budget), budget))?.placed;
  }

  #fax(): Mask | undefined {
    const chunk = this.#find('Smmr');
    return chunk && this.#noteFaults(decodeFaxMask(this.#vips, chunk.data, this.#info));
  }

  #paintShapes(raster: Raster, placed: readonly Placed[]): Raster {
    const colours = this.#find('FGbz');
    const palette = colours && this.#noteFaults(readPalette(colours.data));
    if (palette) return this.#paintInColours(toColour(raster), placed, palette);
    const mask = createMask(this.#info.width, this.#info.height);
    this.#forEach(placed, (shape, left, top) => stamp(mask, shape, left, top));
    return this.#paintMask(raster, mask);
  }

  #paintInColours(raster: Raster, placed: readonly Placed[], palette: Palette): Raster {
    correctGamma(palette.colours, this.#info.gamma);
    this.#forEach(placed, (shape, left, top, index) => {
      paintShape(raster, shape, left, top, palette, palette.colourOf(index));
    });
    return raster;
  }

  #forEach(placed: readonly Placed[], paint: (shape: Mask, left: number, top: number, index: number) => void): void {
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
    if (!layer) {
      paintLayer(raster, mask, BLACK, Number.POSITIVE_INFINITY);
      return raster;
    }
    correctGamma(layer.data, this.#info.gamma);
    const target = layer.channels === 3 ? toColour(raster) : raster;
    paintLayer(target, mask, layer, reductionOf(layer, this.#info)!);
    return target;
  }
}
