/**
 * Reads the header of an image of bitplanes or indices (J. Morrison, "ILBM IFF Interleaved Bitmap", 1986, and RKRM
 * Devices).
 */
import type { Size } from '../../../base/geometry.ts';
import { corruptImage } from '../../errors.ts';
import { Reader } from '../../metadata/bytes.ts';
import type { IffImage } from './chunks.ts';

export const NAME = 'Amiga or Maya IFF';

/** The content of the BMHD chunk. */
export interface BitmapHeader extends Size {
  planes: number;
  /** Whether an additional plane marks the opaque pixels. */
  maskPlane: boolean;
  /** Pixels with this index are transparent. */
  transparentIndex: number | undefined;
  compression: number;
  /** Whether the palette surely has eight bits per channel. */
  fullPalette: boolean;
}

const MASK_PLANE = 1;
const MASK_INDEX = 2;
const FULL_PALETTE = 0x80;

/** @throws Failure `corrupt_image` */
export function readHeader({ chunks }: IffImage): BitmapHeader {
  const data = chunks.get('BMHD')?.data;
  if (!data) throw corruptImage(NAME, 'BMHD');
  const reader = new Reader(data, NAME);
  const width = reader.u16(0);
  const height = reader.u16(2);
  if (width === 0 || height === 0) throw corruptImage(NAME, `${width} x ${height}`);
  const masking = reader.u8(9);
  return {
    width,
    height,
    planes: reader.u8(8),
    maskPlane: masking === MASK_PLANE,
    transparentIndex: masking === MASK_INDEX ? reader.u16(12) : undefined,
    compression: reader.u8(10),
    fullPalette: (reader.u8(11) & FULL_PALETTE) !== 0,
  };
}

const HAM = 0x0800;
const HALF_BRIGHT = 0x0080;
const EXTENDED = 0x1000;

/**
 * Returns the special display mode of the Amiga for the indices (CAMG; RKRM Libraries, "CAMG", has the rule that
 * detects leftovers of early Deluxe Paint in the upper word). In files of six planes without a mode, the palette
 * decides: 16 colours mean HAM, 32 mean half-bright.
 */
export function readMode({ chunks }: IffImage, planes: number, colours: number): 'ham' | 'half-bright' | 'plain' {
  const camg = chunks.get('CAMG')?.data;
  const mode = camg && camg.length >= 4 ? new Reader(camg, NAME).u32(0) : 0;
  const trusted = mode >>> 16 === 0 || (mode & EXTENDED) !== 0;
  if (planes > 8) return 'plain';
  if (trusted && (mode & HAM) !== 0 && planes >= 5) return 'ham';
  if (planes !== 6) return 'plain';
  if (colours <= 32 && trusted && (mode & HALF_BRIGHT) !== 0) return 'half-bright';
  if (mode === 0 && colours > 0 && colours <= 16) return 'ham';
  return colours > 16 && colours <= 32 ? 'half-bright' : 'plain';
}
