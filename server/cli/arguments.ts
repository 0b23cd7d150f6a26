/** Checks of what is typed after an option. */
import { InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import * as field from '../account/fields.ts';
import { describeExpectation, parameterSchema } from '../http/expectation.ts';

const asTyped = (text: string): unknown => text;

/**
 * A parser for commander; what does not fit is a usage error that says what was expected.
 * @param typed makes the text a value of the declared type, if it is one
 * @param expected where the text is not written as the declared values are
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

export const moment = parser(field.moment.refine((time) => Date.parse(time) > Date.now()));
