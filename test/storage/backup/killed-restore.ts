/** Restores a backup with `--replace`, and kills itself before the given call that changes the folders. */
import { createReadStream } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const [dataDir = '', file = '', count = ''] = process.argv.slice(2);
let left = Number(count);
for (const name of ['rename', 'rm', 'rmdir', 'mkdir'] as const) {
  const call = promises[name] as (...values: unknown[]) => Promise<unknown>;
  Object.assign(promises, {
    [name]: async (...values: unknown[]) => {
      if (left === 0) process.kill(process.pid, 'SIGKILL');
      left -= 1;
      return await call(...values);
    },
  });
}
// Modules that are loaded from now on import the calls above.
syncBuiltinESMExports();
const { restoreBackup } = await import('../../../storage/backup/restore.ts');
await restoreBackup(dataDir, createReadStream(file), { file, replace: true });
