/** Parsers and checks of command-line option values. */
import { InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import { describeExpectation, parameterSchema } from '../base/parameter-schema.ts';
import * as field from '../server/account/fields.ts';

const asTyped = (text: string): unknown => text;

/**
 * Returns a parser for commander. An invalid value is a usage error that says what was expected.
 * @param typed converts the text to the declared type, or returns an invalid value
 * @param expected the expectation to print, where the text is written differently from the declared values
 */
function parser<T>(
  declared: z.ZodType<T>,
  typed = asTyped,
  expected = describeExpectation(parameterSchema(declared)),
): (text: string) => T {
  return (text) => {
    const { success, data } = declared.safeParse(typed(text));
    if (!success) throw new InvalidArgumentError(`Expected ${expected}.`);
    return data;
  };
}

export const accountName = parser(field.accountName);
export const keyName = parser(field.keyName);
export const email = parser(field.email);

export const scopes = parser(
  field.keyScopes,
  (text) => (text === '' ? [] : text.split(',')),
  `a comma-separated list of ${field.keyScopes.unwrap().options.join(', ')}`,
);

export const monthlyLimit = parser(field.monthlyLimit, (text) => (/^[0-9]+$/.test(text) ? Number(text) : undefined));

export const moment = parser(field.futureTime.refine((time) => Date.parse(time) > Date.now()));
