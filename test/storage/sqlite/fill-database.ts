/** A process with a file size limit set by its parent: fills its database and prints the error codes. */

import { Failure } from '../../../base/failure.ts';
import { openDatabase } from '../../../storage/sqlite/database.ts';

const [folder = ''] = process.argv.slice(2);
const database = await openDatabase(folder);

const account = (n: number) => ({ name: `${n}`.padStart(5000, 'x'), email: null, plan: 'free' });
let made = 0;

async function fill(add: () => Promise<unknown>): Promise<string> {
  try {
    for (;;) await add();
  } catch (error) {
    return error instanceof Failure ? error.code : String(error);
  }
}

const alone = await fill(() => {
  made += 1;
  return database.accounts.create(account(made));
});
const together = await fill(() =>
  database.transaction(async ({ accounts }) => {
    for (let n = 0; n < 10; n += 1) {
      made += 1;
      await accounts.create(account(made));
    }
  }),
);
const answers = await database.accounts.any();
process.stdout.write(JSON.stringify({ alone, together, answers }));
await database.close();
