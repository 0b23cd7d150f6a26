/** Imagecrew as users run it: the compiled service in a separate process, over kept-alive loopback connections. */
import { Pool } from 'undici';
import { packageVersion } from '../machine.ts';
import { startServer } from '../server.ts';
import { requestOf } from '../workloads.ts';
import { runContender } from './contender.ts';

const MAX_CONNECTIONS = 256;

await runContender(async (workload) => {
  const { address, key, pid, close } = await startServer();
  const client = new Pool(address, { connections: MAX_CONNECTIONS });
  const query = Object.entries(requestOf(workload)).map(([name, value]) => [name, String(value)]);
  const path = `/api/v1/compress?${new URLSearchParams(query)}`;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' };
  return {
    job: async (input) => {
      const { statusCode, body } = await client.request({ method: 'POST', path, headers, body: input });
      const answer = new Uint8Array(await body.arrayBuffer());
      if (statusCode !== 200) throw new Error(`Expected 200 but received ${statusCode}: ${Buffer.from(answer)}`);
      return answer;
    },
    versions: { undici: packageVersion('undici') },
    pid,
    close: async () => {
      await client.close();
      await close();
    },
  };
});
