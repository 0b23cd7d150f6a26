/**
 * Metadata of Photoshop documents: image resources (Adobe Photoshop File Formats Specification, "Image Resources
 * Section").
 */
import { corruptImage } from '../../errors.ts';
import { Reader, startsWith } from '../../metadata/bytes.ts';
import { collectUntilDamage } from '../../metadata/damage.ts';
import { type ImageResource, imageResources } from '../../metadata/iptc.ts';
import type { Density, Metadata } from '../../metadata/metadata.ts';

const HEADER_BYTES = 26;
export const RESOURCE = {
  resolution: 0x03ed,
  iptc: 0x0404,
  thumbnail: 0x040c,
  icc: 0x040f,
  exif: 0x0422,
  xmp: 0x0424,
} as const;

/** Yields the resources of the document. @throws Failure `corrupt_image` at the first truncated one */
export function* resourcesOf(bytes: Uint8Array): Generator<ImageResource> {
  const reader = new Reader(bytes, 'psd');
  if (!startsWith(bytes, '8BPS')) throw corruptImage('psd', 'no signature');
  const at = HEADER_BYTES + 4 + reader.u32(HEADER_BYTES);
  yield* imageResources(bytes.subarray(at + 4, at + 4 + reader.u32(at)));
}

/** Never throws. */
export function read(bytes: Uint8Array): Metadata {
  return collectUntilDamage<Metadata>({}, (metadata) => {
    for (const { id, data } of resourcesOf(bytes)) {
      if (data.length === 0) continue;
      if (id === RESOURCE.icc) metadata.icc ??= data.slice();
      else if (id === RESOURCE.exif) metadata.exif ??= data.slice();
      else if (id === RESOURCE.xmp) metadata.xmp ??= data.slice();
      else if (id === RESOURCE.iptc) metadata.iptc ??= data.slice();
      else if (id === RESOURCE.resolution) Object.assign(metadata, densityOf(data));
    }
  });
}

/** Reads dots per inch in 16.16 fixed point. The display unit does not matter. @throws Failure `corrupt_image` */
function densityOf(data: Uint8Array): { density?: Density } {
  const reader = new Reader(data, 'psd');
  const density = { x: reader.u32(0) / 0x10000, y: reader.u32(8) / 0x10000 };
  return density.x > 0 && density.y > 0 ? { density } : {};
}
