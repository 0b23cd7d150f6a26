/** Finds the gain map of a HEIF file: the input of a tone-mapped image (ISO 21496-1), or Apple's auxiliary image. */
import { type Item, type ItemMeta, propertyType } from './avif-items.ts';
import { Reader } from './bytes.ts';
import type { GainMapStandard } from './gain-map.ts';

/** The image with its gain map applied, an alternative to the primary item (ISO/IEC 23008-12, 6.6.2.4). */
export const TONE_MAP = 'tmap';
const DERIVED = 'dimg';
const AUXILIARY = 'auxl';
const DESCRIBES = 'cdsc';
const APPLE_MAP = /hdrgainmap/i;
/** Bytes of the header of a full box. */
const FULL_BOX = 12;

export interface GainMapItems {
  standard: GainMapStandard;
  /** The coded map. */
  map: Item | undefined;
  /** The item whose data describe the map: the tone-mapped image, or XMP. */
  description: Item | undefined;
}

/** Returns the items of the gain map of the primary image; undefined if there is none. */
export function gainMapItems({ items, references, primary, associations }: ItemMeta): GainMapItems | undefined {
  const itemOf = (id: number | undefined) => items.find((item) => item.id === id);
  const toneMap = items.find(({ type }) => type === TONE_MAP);
  if (toneMap) {
    // Its inputs are the main image and the map.
    const [, map] = references.find(({ type, from }) => type === DERIVED && from === toneMap.id)?.to ?? [];
    return { standard: 'iso_21496_1', map: itemOf(map), description: toneMap };
  }
  const auxiliary = references.find(
    ({ type, from, to }) =>
      type === AUXILIARY &&
      to.includes(primary) &&
      (associations.get(from) ?? []).some(({ property }) => APPLE_MAP.test(auxiliaryType(property))),
  );
  if (!auxiliary) return undefined;
  const description = references.find(({ type, to }) => type === DESCRIBES && to.includes(auxiliary.from));
  return { standard: 'apple', map: itemOf(auxiliary.from), description: itemOf(description?.from) };
}

/** Returns the type of an auxiliary image that an `auxC` property names; empty for other properties. */
export function auxiliaryType(property: Uint8Array): string {
  if (propertyType(property) !== 'auxC') return '';
  return new Reader(property, 'avif').text(FULL_BOX, property.length - FULL_BOX);
}
