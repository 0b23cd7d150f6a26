/**
 * Reads OpenEXR to 16 bits of sRGB: lines and tiles, uncompressed, RLE, ZIP, PIZ and PXR24. Everything else (B44, DWA,
 * luminance with subsampled chroma) goes to ImageMagick, which keeps 8 bits of linear light, so dark parts show bands.
 */
import { Failure } from '../../../base/failure.ts';
import { type Bitmap, checkPixels } from '../../bitmap.ts';
import { corruptImage, imageTooLarge, pageOutOfRange, unsupportedFormat } from '../../errors.ts';
import type { FormatReader } from '../../format-reader.ts';
import { halfTable, toAlpha, toSrgb } from '../../linear-light.ts';
import { magickReader } from '../../magick/read.ts';
import { Reader } from '../../metadata/bytes.ts';
import { FORMATS } from '../registry.ts';
import { type Block, linesPerBlock, unpackBlock } from './blocks.ts';
import { type ExrHeader, PIXEL_TYPE, readExrHeader, selectVisibleChannels, type VisibleChannels } from './header.ts';

const magickFallback = magickReader('exr');
/** Bytes of one unpacked block. */
const MAX_BLOCK_BYTES = 256 * 1024 * 1024;

export const reader: FormatReader = {
  probe(bytes, request, context) {
    const header = readExrHeader(bytes);
    if (request.page > 1) throw pageOutOfRange(request.page, 1);
    if (!isReadHere(header)) return magickFallback.probe(bytes, request, context);
    const { width, height, channels } = header;
    const hasAlpha = selectVisibleChannels(channels).alpha !== undefined;
    return { width, height, pages: 1, depth: 16, hasAlpha, workingBytes: BLOCK_COPIES * blockBytes(header) };
  },
  decode(bytes, request, context) {
    const header = readExrHeader(bytes);
    if (request.page > 1) throw pageOutOfRange(request.page, 1);
    if (!isReadHere(header)) return magickFallback.decode(bytes, request, context);
    checkPixels(header, request.maxPixels);
    return { bitmap: decode(bytes, header) };
  },
};

/** A block is held three times: inflated, with its bytes in order, and as samples. */
const BLOCK_COPIES = 3;

/** Returns the size of the largest unpacked block. */
function blockBytes({ width, height, tile, compression, channels }: ExrHeader): number {
  const size = tile ?? { width, height: linesPerBlock(compression)! };
  const pixels = Math.min(size.width, width) * Math.min(size.height, height);
  return pixels * channels.reduce((sum, channel) => sum + channel.bytes, 0);
}

function isReadHere({ compression, channels, deep }: ExrHeader): boolean {
  if (deep) throw unsupportedFormat('deep OpenEXR');
  return linesPerBlock(compression) !== undefined && channels.every(({ sampling: [x, y] }) => x === 1 && y === 1);
}

interface Target {
  data: Uint16Array;
  header: ExrHeader;
  seen: VisibleChannels;
}

function decode(bytes: Uint8Array, header: ExrHeader): Bitmap {
  const { width, height, channels: stored, tile } = header;
  const seen = selectVisibleChannels(stored);
  const channels = (seen.colours.length + (seen.alpha === undefined ? 0 : 1)) as Bitmap['channels'];
  const target = { data: new Uint16Array(width * height * channels), header, seen };
  const lines = linesPerBlock(header.compression)!;
  const [across, down] = tile
    ? [Math.ceil(width / tile.width), Math.ceil(height / tile.height)]
    : [1, Math.ceil(height / lines)];
  const reader = new Reader(bytes, FORMATS.exr.name, true);
  let read = 0;
  // The blocks of the full size come first in the table.
  const blocks = Math.min(across * down, Math.floor((bytes.length - header.tableAt) / 8));
  for (let block = 0; block < blocks; block++) {
    if (readBlock(reader, reader.u64(header.tableAt + block * 8), target)) read++;
  }
  if (read === 0) throw corruptImage(FORMATS.exr.name);
  return { data: target.data, width, height, channels, ...(read < across * down ? { truncated: true } : {}) };
}

/** Reads a block. Returns whether it is present and complete. */
function readBlock(reader: Reader, offset: number, target: Target): boolean {
  const { multipart, tile, compression, channels, width, height, top } = target.header;
  try {
    // In a file of several parts the number of the part comes first.
    if (multipart && reader.u32(offset) !== 0) return false;
    let at = multipart ? offset + 4 : offset;
    let [x, y] = [0, 0];
    if (tile) {
      if (reader.u32(at + 8) !== 0 || reader.u32(at + 12) !== 0) return false;
      [x, y] = [reader.u32(at) * tile.width, reader.u32(at + 4) * tile.height];
      at += 16;
    } else {
      y = (reader.u32(at) | 0) - top;
      at += 4;
    }
    if (x >= width || y < 0 || y >= height) return false;
    const size = tile ?? { width, height: linesPerBlock(compression)! };
    const block: Block = {
      channels,
      width: Math.min(size.width, width - x),
      height: Math.min(size.height, height - y),
      bytes: 0,
    };
    block.bytes = block.width * block.height * channels.reduce((sum, channel) => sum + channel.bytes, 0);
    if (block.bytes > MAX_BLOCK_BYTES) throw imageTooLarge(`${MAX_BLOCK_BYTES} bytes in a block`, `${block.bytes}`);
    const samples = unpackBlock(reader.slice(at + 4, reader.u32(at)), compression, block);
    paint(target, block, samples, x, y);
    return true;
  } catch (error) {
    if (error instanceof Failure && error.code === 'corrupt_image') return false;
    throw error;
  }
}

function paint({ data, header, seen }: Target, block: Block, samples: Uint8Array, left: number, top: number): void {
  const { channels, width } = block;
  const wanted = [...seen.colours, ...(seen.alpha === undefined ? [] : [seen.alpha])];
  const colours = seen.colours.length;
  const view = new DataView(samples.buffer, samples.byteOffset, samples.byteLength);
  const lineBytes = block.bytes / block.height;
  const offsets = channels.map((_, index) =>
    channels.slice(0, index).reduce((sum, { bytes }) => sum + bytes * width, 0),
  );
  const planes = wanted.map(() => new Float32Array(width));
  for (let y = 0; y < block.height; y++) {
    for (const [plane, index] of wanted.entries()) {
      readLine(view, y * lineBytes + offsets[index]!, channels[index]!.type, planes[plane]!);
    }
    const alpha = seen.alpha === undefined ? undefined : planes[colours]!;
    let to = ((top + y) * header.width + left) * wanted.length;
    for (let x = 0; x < width; x++) {
      // Colours are premultiplied by the alpha. Where alpha is 0 they are light without coverage, which no other format
      // has.
      const cover = alpha === undefined || alpha[x]! >= 1 || !(alpha[x]! > 0) ? 1 : alpha[x]!;
      for (let colour = 0; colour < colours; colour++) data[to++] = toSrgb(planes[colour]![x]! / cover);
      if (alpha !== undefined) data[to++] = toAlpha(alpha[x]!);
    }
  }
}

const MAX_UINT = 0xffff_ffff;

function readLine(view: DataView, at: number, type: number, line: Float32Array): void {
  const halves = halfTable();
  for (let x = 0; x < line.length; x++) {
    if (type === PIXEL_TYPE.half) line[x] = halves[view.getUint16(at + x * 2, true)]!;
    else if (type === PIXEL_TYPE.float) line[x] = view.getFloat32(at + x * 4, true);
    else line[x] = view.getUint32(at + x * 4, true) / MAX_UINT;
  }
}
