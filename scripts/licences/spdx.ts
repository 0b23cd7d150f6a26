/** Licence expressions of SPDX, as far as npm packages use them (SPDX specification 2.3, annex D). */

export type LicenceExpression =
  | { id: string; exception: string | undefined }
  | { all: readonly LicenceExpression[] }
  | { any: readonly LicenceExpression[] };

/** @returns undefined for what is no expression, such as `SEE LICENSE IN readme.md` */
export function parseLicence(text: string): LicenceExpression | undefined {
  const tokens = text.match(/[()]|[^\s()]+/g) ?? [];
  let position = 0;
  const take = (token: string): boolean => tokens[position] === token && ++position > 0;

  const term = (): LicenceExpression | undefined => {
    if (take('(')) {
      const inner = alternatives();
      return inner && take(')') ? inner : undefined;
    }
    const id = tokens[position++];
    if (!id || !/^[A-Za-z0-9.+-]+$/.test(id) || /^(?:AND|OR|WITH)$/.test(id)) return undefined;
    return { id, exception: take('WITH') ? tokens[position++] : undefined };
  };
  const list = (operator: string, operand: () => LicenceExpression | undefined): LicenceExpression[] | undefined => {
    const operands: LicenceExpression[] = [];
    do {
      const next = operand();
      if (!next) return undefined;
      operands.push(next);
    } while (take(operator));
    return operands;
  };
  // AND binds stronger than OR.
  const conjunction = (): LicenceExpression | undefined => {
    const all = list('AND', term);
    return all && (all.length > 1 ? { all } : all[0]);
  };
  const alternatives = (): LicenceExpression | undefined => {
    const any = list('OR', conjunction);
    return any && (any.length > 1 ? { any } : any[0]);
  };

  const expression = alternatives();
  return position === tokens.length ? expression : undefined;
}

/** Returns whether the terms that an expression leaves to choose contain a set of which every licence is allowed. */
export function isSatisfied(expression: LicenceExpression, isAllowed: (id: string) => boolean): boolean {
  if ('all' in expression) return expression.all.every((part) => isSatisfied(part, isAllowed));
  if ('any' in expression) return expression.any.some((part) => isSatisfied(part, isAllowed));
  // An exception permits more than its licence.
  return isAllowed(expression.id);
}

/** Every licence and exception that an expression names. */
export function idsOf(expression: LicenceExpression): string[] {
  if ('all' in expression) return expression.all.flatMap(idsOf);
  if ('any' in expression) return expression.any.flatMap(idsOf);
  return [expression.id, ...(expression.exception ? [expression.exception] : [])];
}
