/** Writes small PDFs for tests by ISO 32000-1. */
import { createHash } from 'node:crypto';

export interface PdfStream {
  /** Dictionary entries without the length. */
  entries: string;
  data: Uint8Array | string;
}

type PdfObject = string | PdfStream;

/** Writes a PDF with objects numbered from 1. The first one is the catalogue. */
export function pdf(objects: readonly PdfObject[], { trailer = '', cipher = keep }: Options = {}): Uint8Array {
  const parts: Buffer[] = [];
  let length = 0;
  const add = (part: string | Uint8Array) => {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part);
    parts.push(bytes);
    length += bytes.length;
  };
  add('%PDF-1.7\n');
  const offsets = objects.map((object, index) => {
    const offset = length;
    add(`${index + 1} 0 obj\n`);
    if (typeof object === 'string') add(object);
    else {
      const data = cipher(index + 1, Buffer.from(object.data as string, 'latin1'));
      add(`<< ${object.entries} /Length ${data.length} >>\nstream\n`);
      add(data);
      add('\nendstream');
    }
    add('\nendobj\n');
    return offset;
  });
  const table = length;
  add(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`);
  for (const offset of offsets) add(`${String(offset).padStart(10, '0')} 00000 n \n`);
  add(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${table}\n%%EOF\n`);
  return new Uint8Array(Buffer.concat(parts));
}

type Cipher = (object: number, data: Uint8Array) => Uint8Array;

interface Options {
  trailer?: string;
  cipher?: Cipher;
}

const keep: Cipher = (_object, data) => data;

const RED_CORNER = '1 0 0 rg 0 0 50 50 re f';

/** Writes one page with these entries. By default it draws a red square of 50 points at the lower left. */
export function onePage(
  entries: string,
  { content = RED_CORNER, catalogue = '', more = [], ...options }: PageOptions = {},
): Uint8Array {
  return pdf(
    [
      `<< /Type /Catalog /Pages 2 0 R ${catalogue} >>`,
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      `<< /Type /Page /Parent 2 0 R /Contents 4 0 R ${entries} >>`,
      { entries: '', data: content },
      ...more,
    ],
    options,
  );
}

interface PageOptions extends Options {
  content?: string;
  /** Dictionary entries of the catalogue. */
  catalogue?: string;
  /** Objects numbered from 5. */
  more?: readonly PdfObject[];
}

/** The bytes that pad a password to 32 bytes (7.6.3.3, algorithm 2). */
const PADDING = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');
const ID = Buffer.alloc(16, 7);
const PERMISSIONS = Buffer.from([0xfc, 0xff, 0xff, 0xff]);
const KEY_BYTES = 5;

/** Returns the options of a file that the standard security handler, revision 2, encrypts (7.6.3). */
export function encrypted(userPassword: string): Options {
  const padded = Buffer.concat([Buffer.from(userPassword), PADDING]).subarray(0, 32);
  const owner = rc4(md5(PADDING).subarray(0, KEY_BYTES), padded);
  const key = md5(padded, owner, PERMISSIONS, ID).subarray(0, KEY_BYTES);
  const user = rc4(key, PADDING);
  const hex = (bytes: Uint8Array) => `<${Buffer.from(bytes).toString('hex')}>`;
  return {
    trailer: `/ID [${hex(ID)} ${hex(ID)}] /Encrypt << /Filter /Standard /V 1 /R 2 /O ${hex(owner)} /U ${hex(user)} /P -4 >>`,
    cipher: (object, data) => rc4(md5(key, Buffer.from([object, 0, 0, 0, 0])).subarray(0, KEY_BYTES + 5), data),
  };
}

function md5(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function rc4(key: Uint8Array, data: Uint8Array): Uint8Array {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const swap = (a: number, b: number) => {
    [state[a], state[b]] = [state[b]!, state[a]!];
  };
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + state[i]! + key[i % key.length]!) & 0xff;
    swap(i, j);
  }
  let i = 0;
  let j = 0;
  return Uint8Array.from(data, (byte) => {
    i = (i + 1) & 0xff;
    j = (j + state[i]!) & 0xff;
    swap(i, j);
    return byte ^ state[(state[i]! + state[j]!) & 0xff]!;
  });
}
