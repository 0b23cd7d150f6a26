/** A process that locks the given data folder, reports the outcome to its parent, and waits to be killed. */
import { lockDataFolder } from '../../../storage/data-folder/server-lock.ts';

const [folder = ''] = process.argv.slice(2);
process.on('message', () => {});
try {
  await lockDataFolder(folder);
  process.send?.('taken');
} catch (error) {
  process.send?.((error as Error).message);
}
