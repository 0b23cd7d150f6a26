/** Writes DjVu files for tests from the data of their chunks. */
import { ByteWriter } from '../../../../codecs/byte-writer.ts';
import { compressBzz } from './bzz-writer.ts';

export interface ChunkParts {
  id: string;
  data: Uint8Array;
}

export const chunk = (id: string, data: Uint8Array | string): ChunkParts => ({
  id,
  data: typeof data === 'string' ? Buffer.from(data, 'latin1') : data,
});

export interface InfoChunk {
  resolution?: number;
  /** Gamma times ten. */
  gamma?: number;
  flags?: number;
}

export function info(width: number, height: number, fields: InfoChunk = {}): ChunkParts {
  const { resolution = 300, gamma = 22, flags = 1 } = fields;
  const writer = new ByteWriter().u16(width, height).u8(25, 0, resolution & 0xff, resolution >> 8, gamma, flags);
  return chunk('INFO', writer.finish());
}

/** Writes a FORM with its header, padded to an even length. */
export function form(type: string, ...chunks: readonly ChunkParts[]): Uint8Array {
  const body = new ByteWriter().text(type);
  for (const { id, data } of chunks) {
    if (body.length % 2 !== 0) body.u8(0);
    body.text(id).u32(data.length).bytes(data);
  }
  const bytes = body.finish();
  return new ByteWriter()
    .text('FORM')
    .u32(bytes.length)
    .bytes(bytes, new Uint8Array(bytes.length % 2))
    .finish();
}

export function singlePage(...chunks: readonly ChunkParts[]): Uint8Array {
  return Buffer.concat([Buffer.from('AT&T'), form('DJVU', ...chunks)]);
}

export interface Component {
  id: string;
  /** 0 for shared data, 1 for a page, 2 for thumbnails. */
  kind: number;
  form: Uint8Array;
  /** Title for display. */
  title?: string;
}

const TITLE = 0x40;
const BUNDLED = 0x81;
const INDIRECT = 0x01;

export function bundle(...components: readonly Component[]): Uint8Array {
  const list = listOf(components);
  const directoryBytes = 3 + 4 * components.length + list.length;
  let at = 4 + 8 + 4 + 8 + directoryBytes + (directoryBytes % 2);
  const offsets = components.map(({ form: { length } }) => {
    at += length;
    return at - length;
  });
  const directory = new ByteWriter()
    .u8(BUNDLED)
    .u16(components.length)
    .u32(...offsets)
    .bytes(list)
    .finish();
  const body = new ByteWriter().text('DJVMDIRM').u32(directory.length).bytes(directory);
  if (body.length % 2 !== 0) body.u8(0);
  body.bytes(...components.map((component) => component.form));
  const bytes = body.finish();
  return new ByteWriter().text('AT&TFORM').u32(bytes.length).bytes(bytes).finish();
}

export function indirect(...components: readonly Component[]): Uint8Array {
  const directory = new ByteWriter().u8(INDIRECT).u16(components.length).bytes(listOf(components)).finish();
  return Buffer.concat([Buffer.from('AT&T'), form('DJVM', chunk('DIRM', directory))]);
}

function listOf(components: readonly Component[]): Uint8Array {
  const list = new ByteWriter();
  for (const {
    form: { length },
  } of components)
    list.u8(length >> 16).u16(length & 0xffff);
  for (const { kind, title } of components) list.u8(kind | (title === undefined ? 0 : TITLE));
  for (const { id, title } of components) {
    list.text(`${id}\0`);
    if (title !== undefined) list.text(`${title}\0`);
  }
  return compressBzz(list.finish());
}

/** Writes an FGbz chunk: the RGB colours, and the colour index of each shape. */
export function palette(
  colours: readonly (readonly [number, number, number])[],
  indices?: readonly number[],
): ChunkParts {
  const writer = new ByteWriter().u8(indices ? 0x80 : 0).u16(colours.length);
  for (const [red, green, blue] of colours) writer.u8(blue, green, red);
  if (indices) {
    writer.u8(indices.length >> 16).u16(indices.length & 0xffff);
    writer.bytes(compressBzz(new ByteWriter().u16(...indices).finish()));
  }
  return chunk('FGbz', writer.finish());
}
