/** What the endpoints of accounts, keys and usage use. */
import type { Database } from '../../storage/ports/database.ts';
import type { BodyServices } from '../http/json-body.ts';
import type { Ledger } from './ledger.ts';
import type { Plans } from './plans.ts';

export interface AccountServices extends BodyServices {
  database: Database;
  plans: Plans;
  ledger: Ledger;
  /** The current time in milliseconds. */
  now: () => number;
}
