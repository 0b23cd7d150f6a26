/** The fields of accounts and keys, declared once for the endpoints and the command line. */
import { z } from 'zod';
import { described } from '../../base/described.ts';
import { DEFAULT_SCOPES, SCOPES } from './keys.ts';

const MAX_TIMESTAMP_LENGTH = '9999-12-31T23:59:59.999Z'.length;

export const accountName = described(z.string().trim().min(1).max(100), 'A name that no other account has.', 'anna');

/** Any text: the plans are only known when the service runs. */
export const planName = z
  .string()
  .meta({ 'x-form': 'the name of a plan', description: 'free, pro, or a plan of the operator.', examples: ['free'] });

export const email = z
  .email()
  // RFC 5321, section 4.5.3.1.3, with the correction of its erratum 1690.
  .max(254)
  .meta({ 'x-form': 'an e-mail address', description: 'Where notices are sent.', examples: ['anna@example.com'] });

export const keyName = described(z.string().trim().min(1).max(60), 'What the key is for.', 'web shop');

export const DEFAULT_KEY_NAME = 'unnamed';

export const keyMode = z.enum(['live', 'test']).meta({
  description: 'Test keys use no quota, and take small files and few requests a day.',
  examples: ['live'],
});

export const keyScopes = z
  .array(z.enum(SCOPES))
  // Allows each scope to be named twice.
  .max(2 * SCOPES.length)
  .overwrite((scopes) => [...new Set(scopes)])
  .meta({
    description:
      'What the key may do beside ordinary image operations. ai: AI operations and model steps. sites: website scans. admin: keys and webhook secret of the own account.',
    examples: [[...DEFAULT_SCOPES]],
  });

export const monthlyLimit = described(
  z.int().min(1).max(1_000_000_000),
  'Requests and AI requests together that the key may use in a month. Live keys only.',
  500,
);

export const MOMENT = 'a time to come as 2030-01-31T12:00:00Z';

/** A date and time in any time zone, converted to UTC. */
export const futureTime = z.iso
  // `abort` skips the checks below if this one fails: they need a valid date.
  .datetime({ offset: true, abort: true })
  .overwrite((text) => new Date(text).toISOString())
  // A time zone can lead beyond the year 9999. Such times have another format and no longer sort as text.
  .refine((text) => text.length === MAX_TIMESTAMP_LENGTH)
  .meta({
    'x-form': MOMENT,
    description: 'When the key ends.',
    examples: ['2030-01-31T12:00:00.000Z'],
  });
