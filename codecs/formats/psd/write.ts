/** Writes flat Photoshop documents of 8 or 16 bits (Adobe Photoshop File Formats Specification). */
import { maxSample } from '../../../base/sample-data.ts';
import { ByteWriter } from '../../byte-writer.ts';
import { unsupportedOutput } from '../../errors.ts';
import type { Metadata } from '../../metadata/metadata.ts';
import type { AnySamples } from '../../samples.ts';
import { type PackedPlane, packPlane } from './packbits.ts';

const MAX_SIDE = 30_000;
const MODE_GREYSCALE = 1;
const MODE_RGB = 3;
const COMPRESSION_RLE = 1;
const TRANSPARENCY_CHANNEL = -1;
const LAYER_NAME = 'Layer 1';

/** Image resources, section "Image Resource IDs" of the specification. */
const RESOURCE = { resolution: 0x03ed, iptc: 0x0404, icc: 0x040f, exif: 0x0422, xmp: 0x0424 } as const;
const PIXELS_PER_INCH = 1;
const INCHES = 1;

/**
 * Encodes grey or RGB as a background. Encodes RGBA as one layer, which keeps every sample, plus the merged image for
 * programs without layer support.
 * @throws Failure `unsupported_output` for a side of more than 30,000 pixels, the limit of the format
 */
export function encodePsd({ metadata, ...image }: AnySamples & { metadata: Metadata }): Uint8Array<ArrayBuffer> {
  const { width, height, channels } = image;
  if (width > MAX_SIDE || height > MAX_SIDE) {
    throw unsupportedOutput(`at most ${MAX_SIDE} pixels a side with psd`, `${width} x ${height} pixels`);
  }
  const layer = channels === 4 ? layerSection(image) : new Uint8Array();
  const merged = packPlanes(channels === 4 ? mattedOnWhite(image) : image);
  const resources = imageResources(metadata);
  return new ByteWriter()
    .text('8BPS')
    .u16(1, 0, 0, 0) // version, reserved
    .u16(channels)
    .u32(height, width)
    .u16(8 * image.data.BYTES_PER_ELEMENT, channels === 1 ? MODE_GREYSCALE : MODE_RGB)
    .u32(0) // colour mode data
    .u32(resources.length)
    .bytes(resources)
    .u32(layer.length)
    .bytes(layer)
    .u16(COMPRESSION_RLE)
    .bytes(...merged.map(rowCounts), ...merged.map(({ packed }) => packed))
    .finish();
}

const packPlanes = (image: AnySamples): PackedPlane[] =>
  Array.from({ length: image.channels }, (_, channel) => packPlane(image, channel));

function rowCounts({ counts }: PackedPlane): Uint8Array {
  const bytes = new Uint8Array(counts.length * 2);
  const view = new DataView(bytes.buffer);
  counts.forEach((count, y) => {
    view.setUint16(y * 2, count);
  });
  return bytes;
}

/** Blends the merged image of a transparent document with white, as Photoshop and its readers expect. */
function mattedOnWhite({ data, ...image }: AnySamples): AnySamples {
  // A Buffer's slice would be a view, not a copy.
  const matted = data instanceof Uint16Array ? new Uint16Array(data) : new Uint8Array(data);
  const max = maxSample(data);
  for (let at = 0; at < matted.length; at += 4) {
    const alpha = matted[at + 3]!;
    if (alpha === max) continue;
    const white = max * (max - alpha);
    for (let channel = at; channel < at + 3; channel++) {
      matted[channel] = Math.round((matted[channel]! * alpha + white) / max);
    }
  }
  return { ...image, data: matted };
}

/** Writes "Layer and Mask Information" with a single layer that fills the canvas. */
function layerSection(image: AnySamples): Uint8Array {
  const [red, green, blue, alpha] = packPlanes(image) as [PackedPlane, PackedPlane, PackedPlane, PackedPlane];
  const channels = [
    { id: TRANSPARENCY_CHANNEL, plane: alpha },
    { id: 0, plane: red },
    { id: 1, plane: green },
    { id: 2, plane: blue },
  ].map(({ id, plane }) => ({ id, data: [Uint8Array.of(0, COMPRESSION_RLE), rowCounts(plane), plane.packed] }));

  // A negative count means that the first alpha channel of the merged image is its transparency.
  const info = new ByteWriter().u16(-1).u32(0, 0, image.height, image.width).u16(channels.length);
  for (const { id, data } of channels) info.u16(id).u32(data.reduce((sum, part) => sum + part.length, 0));
  info
    .text('8BIMnorm')
    .u8(255, 0, 0, 0) // opacity, clipping, flags, filler
    .u32(8 + 1 + LAYER_NAME.length)
    .u32(0, 0) // no layer mask, no blending ranges
    .u8(LAYER_NAME.length)
    .text(LAYER_NAME); // its length is a multiple of 4, as the format requires
  for (const { data } of channels) info.bytes(...data);
  if (info.length % 2 === 1) info.u8(0);

  const noGlobalMask = Uint8Array.of(0, 0, 0, 0);
  return new ByteWriter().u32(info.length).bytes(info.finish(), noGlobalMask).finish();
}

function imageResources({ density, iptc, icc, exif, xmp }: Metadata): Uint8Array {
  const resources = new ByteWriter();
  if (density) {
    const resolution = new ByteWriter()
      .u32(fixedPoint(density.x))
      .u16(PIXELS_PER_INCH, INCHES)
      .u32(fixedPoint(density.y))
      .u16(PIXELS_PER_INCH, INCHES);
    addResource(resources, RESOURCE.resolution, resolution.finish());
  }
  for (const [id, data] of [
    [RESOURCE.iptc, iptc],
    [RESOURCE.icc, icc],
    [RESOURCE.exif, exif],
    [RESOURCE.xmp, xmp],
  ] as const) {
    if (data) addResource(resources, id, data);
  }
  return resources.finish();
}

/** Converts to 16.16 fixed point. */
const fixedPoint = (value: number): number => Math.round(value * 0x10000);

function addResource(resources: ByteWriter, id: number, data: Uint8Array): void {
  resources.text('8BIM').u16(id).u16(0).u32(data.length).bytes(data); // 0: no name
  if (data.length % 2 === 1) resources.u8(0);
}
