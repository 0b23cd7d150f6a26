/** The WebP encoder of assembly/. */
import { type Address, CodecModule, IdleCodec } from '../codec-module.ts';
import type { Modules } from '../modules.ts';

/** Documented in assembly/. */
interface WebpFunctions {
  reserve(bytes: number): Address;
  start(width: number, height: number, hasAlpha: number): number;
  storeLines(pixels: Address, pitch: number, count: number): void;
  encodeFrame(index: number, filter: number, strength: number): Address;
  endOfFrame(): Address;
  alphaPlane(): Address;
  lumaPitch(): number;
}

export class WebpCodec extends CodecModule<WebpFunctions> {}

const idle = new IdleCodec((module) => new WebpCodec(module));

/** Runs `work` with the codec of this thread, which processes one file at a time. */
export const withWebpCodec = <T>({ webp }: Pick<Modules, 'webp'>, work: (codec: WebpCodec) => T): T =>
  idle.lend(webp, work);
