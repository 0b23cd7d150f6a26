/** One thread of the contender jsquash: decode, resize, encode, as in the packages' documentation. */
import { workerData } from 'node:worker_threads';
import { decode, type EncodeOptions, encode, type JsquashFormat, resize } from '../jsquash.ts';

export interface Recipe {
  decoder: JsquashFormat;
  encoder: JsquashFormat;
  options: EncodeOptions;
  /** Target width; without it the size stays. */
  width?: number;
}

const { decoder, encoder, options, width } = workerData as Recipe;

export default async function run(input: Uint8Array): Promise<Uint8Array> {
  const decoded = await decode(decoder, input);
  const resized = width === undefined ? decoded : await resize(decoded, width);
  return encode(encoder, resized, options);
}
