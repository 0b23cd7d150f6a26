/** The frame header of a JPEG (ITU-T T.81, B.2.2). */

import { Reader } from '../metadata/bytes.ts';
import { tryParse } from '../metadata/damage.ts';
import { headSegments, isFrame } from '../metadata/jpeg-segments.ts';

export interface JpegComponent {
  horizontal: number;
  vertical: number;
  /** Number of its quantisation table. */
  table: number;
}

export interface JpegFrame {
  /** Number of the start-of-frame marker, 0 to 15. */
  process: number;
  precision: number;
  width: number;
  /** 0 when the height follows after the first scan. */
  height: number;
  components: JpegComponent[];
}

/** @throws Failure `corrupt_image` */
export function readFrame(marker: number, payload: Uint8Array): JpegFrame {
  const reader = new Reader(payload, 'jpeg');
  const components = Array.from({ length: reader.u8(5) }, (_, index) => {
    const at = 6 + 3 * index;
    const factors = reader.u8(at + 1);
    return { horizontal: factors >> 4, vertical: factors & 15, table: reader.u8(at + 2) };
  });
  return {
    process: marker - 0xc0,
    precision: reader.u8(0),
    height: reader.u16(1),
    width: reader.u16(3),
    components,
  };
}

/** Reads the frame header of a JPEG embedded in a file; undefined when there is none. Never throws. */
export const frameOfJpeg = (jpeg: Uint8Array): JpegFrame | undefined =>
  tryParse(() => {
    for (const { marker, payload } of headSegments(jpeg)) if (isFrame(marker)) return readFrame(marker, payload);
    return undefined;
  });

/** Luminance samples per colour sample, by the sampling factors of the first two components. */
const SUBSAMPLING: Readonly<Record<string, string>> = {
  '1x1': '4:4:4',
  '1x2': '4:4:0',
  '2x1': '4:2:2',
  '2x2': '4:2:0',
  '4x1': '4:1:1',
  '4x2': '4:1:0',
};

/** Returns the subsampling as J:a:b; undefined for ratios that have no such name. */
export const subsamplingOf = (horizontal: number, vertical: number): string | undefined =>
  SUBSAMPLING[`${horizontal}x${vertical}`];

export function chromaOf({ components: [first, second] }: JpegFrame): string | undefined {
  if (!first || !second) return undefined;
  return subsamplingOf(first.horizontal / second.horizontal, first.vertical / second.vertical);
}
