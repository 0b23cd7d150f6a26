/** Imagecrew's engine in this process, without HTTP. */
import { compressParams } from '../../engine/operations/compress/params.ts';
import { sourceParams } from '../../engine/operations/parameters.ts';
import { createPool } from '../../engine/pool.ts';
import { packageVersion } from '../machine.ts';
import { requestOf } from '../workloads.ts';
import { runContender, THREADS } from './contender.ts';

await runContender(async (workload) => {
  const engine = await createPool({ workers: THREADS });
  await engine.ready();
  const params = compressParams.extend(sourceParams.shape).parse(requestOf(workload));
  return {
    // The engine detaches the buffer it receives, so each request gets a copy, as with an upload.
    job: async (input) => {
      const { data } = await engine.run('compress', { image: { data: input.slice().buffer as ArrayBuffer }, params });
      return new Uint8Array(data);
    },
    versions: { 'wasm-vips': packageVersion('wasm-vips'), '@jsquash/avif': packageVersion('@jsquash/avif') },
    close: () => engine.close(),
  };
});
