/** Encodes images of one colour as JPEG XL. libvips runs in a separate thread, so that its memory is freed. */
import { runInThread } from '../../test/support/run-in-thread.ts';

const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
(async () => {
  const { default: Vips } = await import(workerData.module);
  const vips = await Vips({ dynamicLibraries: ['vips-jxl.wasm'] });
  const { width, height, frames } = workerData;
  const image = vips.Image.black(width, height * frames).copy();
  if (frames > 1) image.setInt('page-height', height);
  const bytes = image.jxlsaveBuffer({ lossless: true, effort: 1 });
  parentPort.postMessage(bytes);
})();
`;

const encoded = new Map<string, Promise<Uint8Array>>();

/** Encodes each size once: 100 megapixels take seconds. */
export function encodeJxl(width: number, height: number, frames = 1): Promise<Uint8Array> {
  const key = `${width} x ${height} x ${frames}`;
  const started = encoded.get(key) ?? encode(width, height, frames);
  encoded.set(key, started);
  return started;
}

async function encode(width: number, height: number, frames: number): Promise<Uint8Array> {
  const module = import.meta.resolve('wasm-vips');
  return await runInThread(PROGRAM, { module, width, height, frames });
}
