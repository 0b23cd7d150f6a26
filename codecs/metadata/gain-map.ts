/**
 * A gain map: a second, usually smaller image that says by how much a display of high dynamic range may brighten each
 * part of the main image.
 */
export interface GainMap {
  /** How it is described. A file may have several descriptions of one map; none if they are missing. */
  standards: readonly GainMapStandard[];
  /**
   * The map as a JPEG file with the metadata that describe it. Undefined if the file announces a map that it does not
   * contain, or contains one in another coding.
   */
  file?: Uint8Array;
}

/**
 * Adobe's and Google's XMP of Ultra HDR (Ultra HDR Image Format 1.0), the binary metadata of ISO 21496-1, and Apple's
 * auxiliary image.
 */
export const GAIN_MAP_STANDARDS = ['ultra_hdr', 'iso_21496_1', 'apple'] as const;
export type GainMapStandard = (typeof GAIN_MAP_STANDARDS)[number];
