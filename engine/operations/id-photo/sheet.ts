/** Sheets of copies for printing: plans the layout, then draws it. */
import type { Size } from '../../../base/geometry.ts';
import type { Image } from '../../../codecs/vips.ts';
import { placeOnCanvas } from '../../steps/canvas.ts';
import { toPixels } from '../../steps/print.ts';

/** Paper size in inches. */
export const SHEET_INCHES = { short: 4, long: 6 } as const;
const GAP_MM = 2;
const WHITE = '#ffffff';

export interface SheetPlan {
  /** Size of the sheet in pixels. */
  size: Size;
  columns: number;
  rows: number;
  /** Gap between the copies in pixels. */
  gap: number;
}

/**
 * Plans the sheet in the orientation that holds more copies; portrait if both hold as many. Undefined if no copy fits.
 */
export function planSheet(photo: Size, dpi: number): SheetPlan | undefined {
  const gap = toPixels(GAP_MM, dpi);
  const [short, long] = [SHEET_INCHES.short * dpi, SHEET_INCHES.long * dpi];
  const plan = (size: Size): SheetPlan => ({
    size,
    columns: Math.floor((size.width + gap) / (photo.width + gap)),
    rows: Math.floor((size.height + gap) / (photo.height + gap)),
    gap,
  });
  const copies = ({ columns, rows }: SheetPlan) => columns * rows;
  const upright = plan({ width: short, height: long });
  const lying = plan({ width: long, height: short });
  const best = copies(lying) > copies(upright) ? lying : upright;
  return copies(best) > 0 ? best : undefined;
}

/** Draws the copies of a photo in the centre of a white sheet. */
export function layOut(photo: Image, { size, columns, rows, gap }: SheetPlan): Image {
  const cell = { width: photo.width + gap, height: photo.height + gap };
  const block = placeOnCanvas(photo, cell, 0, 0, WHITE)
    .replicate(columns, rows)
    .crop(0, 0, columns * cell.width - gap, rows * cell.height - gap);
  const left = Math.floor((size.width - block.width) / 2);
  const top = Math.floor((size.height - block.height) / 2);
  return placeOnCanvas(block, size, left, top, WHITE);
}
