/** A process that opens the database of the given folder on a message from its parent, and creates one account. */
import { openDatabase } from '../../../storage/sqlite/database.ts';

const [folder = '', name = ''] = process.argv.slice(2);
process.once('message', async () => {
  const database = await openDatabase(folder);
  await database.accounts.create({ name, email: null, plan: 'free' });
  await database.close();
  process.disconnect();
});
process.send?.('ready');
