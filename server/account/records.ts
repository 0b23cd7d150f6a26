/** Accounts and keys as the API returns them (docs/spec/shapes.md, section 15.1). */
import { z } from 'zod';
import type { Account } from '../../storage/records/accounts.ts';
import type { UsedKey } from '../../storage/records/keys.ts';
import { count, dateTime, recordFrom } from '../http/record.ts';
import { keyMode } from './fields.ts';

export const accountRecordSchema = z
  .object({
    id: z.string().meta({ examples: ['acct_01JD3Z8Q4W0V6S8H2N5B7C9E1F'] }),
    name: z.string().meta({ examples: ['anna'] }),
    email: z
      .string()
      .nullable()
      .meta({ examples: ['anna@example.com'] }),
    plan: z.string().meta({ examples: ['free'] }),
    disabled: z.boolean().meta({ description: 'None of its keys is accepted.' }),
    created_at: dateTime(),
  })
  .meta({ id: 'Account' });

type AccountRecord = z.output<typeof accountRecordSchema>;

export const accountRecord = (account: Account): AccountRecord => recordFrom(accountRecordSchema, account, {});

const keyFields = z.object({
  id: z.string().meta({ examples: ['key_01JD3Z8Q4W0V6S8H2N5B7C9E1F'] }),
  name: z.string().meta({ examples: ['web shop'] }),
  mode: keyMode,
  prefix: z.string().meta({ description: 'Its first characters, for recognising it.', examples: ['ic_live_A1b2'] }),
  scopes: z.array(z.string()).meta({ examples: [['ai', 'sites']] }),
  monthly_limit: z
    .int()
    .min(1)
    .nullable()
    .meta({ description: 'Its own limit of requests and AI requests together; null is none.', examples: [500] }),
  used: count('Requests and AI requests of the running month.', 42),
  created_at: dateTime(),
  last_used_at: dateTime().nullable().meta({ description: 'To the minute.' }),
  expires_at: dateTime().nullable(),
  revoked_at: dateTime().nullable(),
});

export const keyRecordSchema = keyFields.meta({ id: 'Key' });

export const newKeyRecordSchema = keyFields
  .extend({
    key: z.string().meta({ description: 'The key itself, in this answer and never again.', examples: ['ic_live_…'] }),
  })
  .meta({ id: 'NewKey' });

type KeyRecord = z.output<typeof keyRecordSchema>;

/** Returns the record of a key, without its hash. */
export const keyRecord = (key: UsedKey): KeyRecord => recordFrom(keyRecordSchema, key, { scopes: [...key.scopes] });
