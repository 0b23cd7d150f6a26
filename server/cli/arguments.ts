/** Checks of what is typed after an option. */
import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { SCOPES } from '../account/keys.ts';

/** A parser for commander; what does not fit is a usage error that says what was expected. */
function parser<T>(expected: string, schema: z.ZodType<T, string>): (text: string) => T {
  return (text) => {
    const { success, data } = schema.safeParse(text);
    if (!success) throw new InvalidArgumentError(`Expected ${expected}.`);
    return data;
  };
}

const named = (longest: number) => parser(`1 to ${longest} characters`, z.string().trim().min(1).max(longest));

export const accountName = named(100);
export const keyName = named(60);
export const email = parser('an e-mail address', z.email());

export const scopes = parser(
  `a comma-separated list of ${SCOPES.join(', ')}`,
  z
    .string()
    .transform((text) => [...new Set(text === '' ? [] : text.split(','))])
    .pipe(z.array(z.enum(SCOPES))),
);

export const monthlyLimit = parser(
  'an integer from 1 to 1000000000',
  z
    .string()
    .regex(/^[0-9]{1,10}$/)
    .transform(Number)
    .pipe(z.int().min(1).max(1_000_000_000)),
);

export const moment = parser(
  'a time to come like 2030-01-31T12:00:00Z',
  z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text))
    .refine((date) => date.getTime() > Date.now())
    .transform((date) => date.toISOString()),
);
