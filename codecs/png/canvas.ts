/** The canvas on which the frames of an animated PNG are drawn (PNG, third edition, section 11.3.6.2). */
import type { Size } from '../../base/geometry.ts';
import type { Rectangle } from '../rectangle.ts';
import { BLEND, type Blend } from './animation-structure.ts';

export type Samples = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer>;

export interface DrawnPixels extends Size {
  data: Samples;
  /** As many as the canvas has, or all but alpha. */
  bands: number;
}

export class FrameCanvas {
  readonly samples: Samples;
  readonly #width: number;
  readonly #bands: number;
  readonly #max: number;

  /** @param bands with alpha, unless every frame is opaque and covers what it is drawn on */
  constructor({ width, height }: Size, bands: number, depth: 8 | 16) {
    const length = width * height * bands;
    this.samples = depth === 16 ? new Uint16Array(length) : new Uint8Array(length);
    this.#width = width;
    this.#bands = bands;
    this.#max = 2 ** depth - 1;
  }

  draw(pixels: DrawnPixels, left: number, top: number, blend: Blend): void {
    const { width, height, bands, data } = pixels;
    const rowSamples = width * bands;
    for (let y = 0; y < height; y += 1) {
      const row = data.subarray(y * rowSamples, (y + 1) * rowSamples);
      const at = ((top + y) * this.#width + left) * this.#bands;
      if (bands < this.#bands) this.#addOpaque(row, at, bands);
      else if (blend === BLEND.over && bands % 2 === 0) this.#blendOver(row, at);
      else this.samples.set(row, at);
    }
  }

  /** Makes an area transparent. */
  clear({ left, top, right, bottom }: Rectangle): void {
    for (let y = top; y < bottom; y += 1) {
      const row = y * this.#width;
      this.samples.fill(0, (row + left) * this.#bands, (row + right) * this.#bands);
    }
  }

  #addOpaque(row: Samples, start: number, bands: number): void {
    const { samples } = this;
    for (let from = 0, at = start; from < row.length; from += bands, at += this.#bands) {
      for (let band = 0; band < bands; band += 1) samples[at + band] = row[from + band] as number;
      samples[at + bands] = this.#max;
    }
  }

  /** Draws pixels whose alpha is not premultiplied (PNG, third edition, section 13.16). */
  #blendOver(row: Samples, start: number): void {
    const { samples } = this;
    const bands = this.#bands;
    const max = this.#max;
    const last = bands - 1;
    for (let from = 0, at = start; from < row.length; from += bands, at += bands) {
      const alpha = row[from + last] as number;
      const below = samples[at + last] as number;
      if (alpha === 0) continue;
      if (alpha === max || below === 0) {
        for (let band = 0; band < bands; band += 1) samples[at + band] = row[from + band] as number;
        continue;
      }
      const share = alpha * max;
      const rest = (max - alpha) * below;
      for (let band = 0; band < last; band += 1) {
        const mixed = (row[from + band] as number) * share + (samples[at + band] as number) * rest;
        samples[at + band] = Math.round(mixed / (share + rest));
      }
      samples[at + last] = Math.round((share + rest) / max);
    }
  }
}
