/** sharp's own WebAssembly build. */
import { runContender } from './contender.ts';
import { sharpJob } from './sharp-job.ts';

/**
 * sharp loads the first binary that fits process.platform and process.arch, and the WebAssembly build if none does.
 * `wasm32` is the processor for which `npm install --cpu=wasm32` installs it.
 */
async function loadWasm() {
  const arch = process.arch;
  Object.defineProperty(process, 'arch', { value: 'wasm32' });
  const { default: sharp } = await import('sharp');
  Object.defineProperty(process, 'arch', { value: arch });
  // Only the WebAssembly build reports its compiler.
  const { emscripten } = sharp.versions as { emscripten?: string };
  const { sharedObjects } = process.report.getReport() as { sharedObjects: string[] };
  if (!emscripten || sharedObjects.some((path) => path.includes('libvips'))) {
    throw new Error('Expected the WebAssembly build of sharp but another one was loaded.');
  }
  return { sharp, emscripten };
}

await runContender(async (workload) => {
  const { sharp, emscripten } = await loadWasm();
  return {
    job: sharpJob(sharp, workload),
    versions: { sharp: sharp.versions.sharp, vips: sharp.versions.vips, emscripten },
  };
});
