/** IW44: pictures as wavelets, coded progressively over any number of chunks (DjVu 3 Specification, 2005, appendix 1). */
import { viewOf } from '../metadata/bytes.ts';
import { SliceDecoder } from './iw44-slices.ts';
import { BLOCK, Plane } from './iw44-wavelet.ts';
import type { Raster } from './raster.ts';
import { ZpDecoder } from './zp.ts';

export interface Iw44Header {
  width: number;
  height: number;
  grey: boolean;
  /** Slices before the first that holds colour. */
  chromaDelay: number;
  /** Colour is kept at half the size of brightness. */
  halfChroma: boolean;
}

const MAJOR_VERSION = 1;
const GREY = 0x80;
/** From this minor version on the header says how colour is kept. */
const CHROMA_VERSION = 2;
const DEFAULT_CHROMA_DELAY = 10;
const CHUNK_HEADER = 2;

/** The header in the first chunk of a picture; undefined where it is none that can be read. */
export function readIw44Header(data: Uint8Array): Iw44Header | undefined {
  if (data.length < 8 || data[0] !== 0) return undefined;
  const view = viewOf(data);
  const [version, minor] = [data[2]!, data[3]!];
  const width = view.getUint16(4);
  const height = view.getUint16(6);
  if ((version & 0x7f) !== MAJOR_VERSION || width === 0 || height === 0) return undefined;
  const chroma = minor < CHROMA_VERSION ? undefined : data[8];
  return {
    width,
    height,
    grey: (version & GREY) !== 0,
    chromaDelay: chroma === undefined ? DEFAULT_CHROMA_DELAY : chroma & 0x7f,
    halfChroma: chroma !== undefined && (chroma & 0x80) === 0,
  };
}

/**
 * Decodes a picture from its chunks. The caller has checked that it is small enough to allocate.
 * @param header of the first chunk
 */
export function decodeIw44(header: Iw44Header, chunks: readonly Uint8Array[]): Raster & { truncated: boolean } {
  const { width, height, grey } = header;
  const blocksAcross = Math.ceil(width / BLOCK);
  const blocks = blocksAcross * Math.ceil(height / BLOCK);
  const components = Array.from({ length: grey ? 1 : 3 }, () => new SliceDecoder(blocks));
  const truncated = !decodeSlices(components, header, chunks);

  const channels = grey ? 1 : 3;
  const data = new Uint8Array(width * height * channels);
  let plane: Plane | undefined;
  components.forEach(({ store }, at) => {
    const reduction = at > 0 && header.halfChroma ? 2 : 1;
    const size = { width: Math.ceil(width / reduction), height: Math.ceil(height / reduction) };
    if (plane?.width !== size.width || plane.height !== size.height) plane = new Plane(size.width, size.height);
    plane.fill(store, blocksAcross, reduction);
    plane.write({ data, pixelBytes: channels, at }, width, height, reduction);
  });
  if (grey) toGrey(data);
  else toRgb(data);
  return { data, width, height, channels, truncated };
}

/** @returns false where the data end early or chunks are missing */
function decodeSlices(components: readonly SliceDecoder[], header: Iw44Header, chunks: readonly Uint8Array[]): boolean {
  let slice = 0;
  for (const [serial, chunk] of chunks.entries()) {
    if (chunk.length < CHUNK_HEADER || chunk[0] !== (serial & 0xff)) return false;
    const headerBytes = serial > 0 ? CHUNK_HEADER : chunk[3]! < CHROMA_VERSION ? 8 : 9;
    const zp = new ZpDecoder(chunk.subarray(headerBytes));
    for (const end = slice + chunk[1]!; slice < end; slice++) {
      for (const [at, component] of components.entries()) {
        if (at > 0 && slice < header.chromaDelay) break;
        if (!component.decode(zp)) return false;
      }
    }
  }
  return true;
}

/** Brightness is kept as its opposite where there is no colour. */
function toGrey(data: Uint8Array): void {
  for (let at = 0; at < data.length; at++) data[at] = 127 - ((data[at]! << 24) >> 24);
}

/** From the colour space of IW44, in place. */
function toRgb(data: Uint8Array): void {
  for (let at = 0; at < data.length; at += 3) {
    const brightness = ((data[at]! << 24) >> 24) + 128;
    const blue = (data[at + 1]! << 24) >> 24;
    const red = (data[at + 2]! << 24) >> 24;
    const redTerm = red + (red >> 1);
    const base = brightness - (blue >> 2);
    data[at] = clamp(brightness + redTerm);
    data[at + 1] = clamp(base - (redTerm >> 1));
    data[at + 2] = clamp(base + (blue << 1));
  }
}

function clamp(value: number): number {
  return value < 0 ? 0 : Math.min(value, 255);
}
