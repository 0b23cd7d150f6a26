/** Print sizes: converts millimetres at a resolution to pixels, and back. */
import type { Size } from '../../base/geometry.ts';

export const MM_PER_INCH = 25.4;
/** Resolution of print sizes if `dpi` is not given, in dots per inch. */
export const DEFAULT_DPI = 300;

export interface PrintParams {
  print_width?: number | undefined;
  print_height?: number | undefined;
}

export const toPixels = (millimetres: number, dpi: number): number =>
  Math.max(1, Math.round((millimetres / MM_PER_INCH) * dpi));

/** The pixel size for a print size. A missing side follows the aspect ratio. */
export const printPixels = ({ print_width, print_height }: PrintParams, dpi: number): Partial<Size> => ({
  ...(print_width === undefined ? {} : { width: toPixels(print_width, dpi) }),
  ...(print_height === undefined ? {} : { height: toPixels(print_height, dpi) }),
});

/**
 * The resolution at which an image of this size fills the print size. It is recorded if the image has too few pixels.
 */
export function printResolution({ width, height }: Size, { print_width, print_height }: PrintParams): number {
  const resolutions = [
    ...(print_width === undefined ? [] : [(width / print_width) * MM_PER_INCH]),
    ...(print_height === undefined ? [] : [(height / print_height) * MM_PER_INCH]),
  ];
  return Math.max(1, Math.round(Math.max(...resolutions)));
}
