/** A picture of a layer. */
export interface Raster {
  /** Interleaved grey or RGB, rows from top to bottom. */
  data: Uint8Array;
  width: number;
  height: number;
  channels: 1 | 3;
}
