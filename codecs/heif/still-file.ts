/** Writes AVIF files of one image (AV1-ISOBMFF; ISO/IEC 23008-12) around data that is already coded. */
import type { Size } from '../../base/geometry.ts';
import { bytesOf, concat, uint16, uint32 } from '../metadata/bytes.ts';
import { box, fullBox } from '../metadata/isobmff.ts';

/** An image coded as AV1. */
export interface CodedImage {
  /** The box `av1C`. */
  configuration: Uint8Array;
  /** OBUs (AV1, section 5.3). */
  data: Uint8Array;
}

export interface StillImage extends Size {
  /** @param colours boxes `colr` */
  colour: CodedImage & { colours: readonly Uint8Array[] };
  alpha: CodedImage | undefined;
}

export const ALPHA_TYPE = 'urn:mpeg:mpegB:cicp:systems:auxiliary:alpha';
/** Numbers of the items. */
const COLOUR = 1;
const ALPHA = 2;
const ESSENTIAL = 0x80;
/** Offsets and lengths in `iloc` have four bytes. */
const OFFSET_SIZES = 0x44;
const BOX_HEADER = 8;

export function stillFile(image: StillImage): Uint8Array {
  const { colour, alpha } = image;
  const type = box('ftyp', bytesOf('avif'), uint32(0), bytesOf('avifmif1miaf'));
  const data = alpha ? [colour.data, alpha.data] : [colour.data];
  const start = type.length + stillMeta(image, [0, 0]).length + BOX_HEADER;
  return concat([type, stillMeta(image, [start, start + colour.data.length]), box('mdat', ...data)]);
}

/**
 * Returns the `meta` box of an image. Its length does not depend on the offsets.
 * @param offsets of the data of colour and alpha in the file
 */
export function stillMeta(
  { width, height, colour, alpha }: StillImage,
  offsets: readonly [number, number],
): Uint8Array {
  const size = fullBox('ispe', 0, 0, uint32(width), uint32(height));
  const properties = [size, colour.configuration, ...colour.colours];
  const associations = [
    associationsOf(
      COLOUR,
      properties.map((_, index) => index + 1),
    ),
  ];
  const locations = [locationOf(COLOUR, offsets[0], colour.data)];
  if (alpha) {
    properties.push(alpha.configuration, fullBox('auxC', 0, 0, bytesOf(`${ALPHA_TYPE}\0`)));
    associations.push(associationsOf(ALPHA, [1, properties.length - 1, properties.length]));
    locations.push(locationOf(ALPHA, offsets[1], alpha.data));
  }
  const count = locations.length;
  return fullBox(
    'meta',
    0,
    0,
    fullBox('hdlr', 0, 0, uint32(0), bytesOf('pict'), new Uint8Array(13)),
    fullBox('pitm', 0, 0, uint16(COLOUR)),
    fullBox('iloc', 0, 0, Uint8Array.of(OFFSET_SIZES, 0), uint16(count), ...locations),
    fullBox('iinf', 0, 0, uint16(count), ...(alpha ? [COLOUR, ALPHA] : [COLOUR]).map(infoOf)),
    ...(alpha ? [fullBox('iref', 0, 0, box('auxl', uint16(ALPHA), uint16(1), uint16(COLOUR)))] : []),
    box('iprp', box('ipco', ...properties), fullBox('ipma', 0, 0, uint32(count), ...associations)),
  );
}

const infoOf = (id: number): Uint8Array => fullBox('infe', 2, 0, uint16(id), uint16(0), bytesOf('av01\0'));

/** @param places of the properties, from 1; the second is the configuration */
const associationsOf = (id: number, places: readonly number[]): Uint8Array =>
  concat([
    uint16(id),
    Uint8Array.of(places.length, ...places.map((place, index) => (index === 1 ? ESSENTIAL | place : place))),
  ]);

const locationOf = (id: number, offset: number, { length }: Uint8Array): Uint8Array =>
  concat([uint16(id), uint16(0), uint16(1), uint32(offset), uint32(length)]);
