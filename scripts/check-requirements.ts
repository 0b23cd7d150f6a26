/**
 * Lists which requirements the tests prove, and fails when a requirement that was proved lost its last test.
 * `--list` prints those that no test cites; `--update` adds newly proved ones to test/requirements/proved.json.
 */
import { parseArgs } from 'node:util';
import { REQUIREMENTS } from '../test/requirements/index.ts';
import { checkRequirements } from './requirements/check.ts';

const { values } = parseArgs({
  options: { list: { type: 'boolean', default: false }, update: { type: 'boolean', default: false } },
});
const { known, proved, unproved, faults } = checkRequirements({
  known: REQUIREMENTS.keys(),
  tests: 'test',
  provedFile: 'test/requirements/proved.json',
  update: values.update,
});

if (values.list) for (const id of unproved) console.log(`${id}: ${REQUIREMENTS.get(id)?.promise}`);
console.log(`${proved.length} of ${known} requirements are proved by a test.`);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
