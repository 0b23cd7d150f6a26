/** Labels and descriptions of steps and conditions. */
import type { Condition } from '../../../client/types.generated.ts';
import { declarations } from '../../declarations/declarations.ts';
import { choiceLabel, labelOf } from '../../parameters/labels.ts';
import type { Values } from '../../parameters/values.ts';

const OPS = new Map(declarations.steps.map((step) => [step.op, step]));

/** Returns the label of an operation, or its own name if this page does not know it. */
export const opName = (op: string): string => OPS.get(op)?.name ?? labelOf(op);
export const opHint = (op: string): string => OPS.get(op)?.hint ?? '';

/** Returns a text such as `width 800, fit cover`. */
export function paramsText(params: Values): string {
  return Object.entries(params)
    .map(([name, value]) => {
      const label = labelOf(name);
      const start = /^[A-Z]{2}/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);
      if (value === true) return start;
      return `${start} ${typeof value === 'string' ? choiceLabel(name, value) : JSON.stringify(value)}`;
    })
    .join(', ');
}

const REASONS: Readonly<Record<string, string>> = {
  condition: 'its condition does not hold',
  no_change: 'it would change nothing',
  earlier_encoding_used: 'an earlier step writes the file',
};

/** Returns why a step is skipped. */
export const reasonText = (reason: string): string => REASONS[reason] ?? reason;

const CONDITIONS: Readonly<Record<string, string>> = {
  animated: 'Animated',
  any: 'Any of several',
  format: 'Format is',
  has_alpha: 'See-through pixels',
  has_gps: 'Place in the metadata',
  not: 'Not',
  not_format: 'Format is not',
};
const BOUNDED: Readonly<Record<string, string>> = { bytes: 'Bytes of the file', dpi: 'DPI', ratio: 'Width by height' };

/** Returns a label such as `Width at least`. */
export function conditionLabel(name: string): string {
  const bound = /^(min|max)_(.+)$/.exec(name);
  if (!bound) return CONDITIONS[name] ?? labelOf(name);
  const [, which, of] = bound;
  return `${BOUNDED[of!] ?? labelOf(of!)} ${which === 'min' ? 'at least' : 'at most'}`;
}

/** Returns a text such as `width at least 1000 and format is png or gif`. */
export function conditionText(condition: Condition): string {
  const texts = Object.entries(condition).map(([name, value]) => {
    if (name === 'any') return `any of (${(value as Condition[]).map(conditionText).join('; ')})`;
    if (name === 'not') return `not (${conditionText(value as Condition)})`;
    const label = conditionLabel(name);
    const start = /^[A-Z]{2}/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);
    if (typeof value === 'boolean') return value ? start : `no ${start}`;
    return `${start} ${[value].flat().join(' or ')}`;
  });
  return texts.length === 0 ? 'always' : texts.join(' and ');
}
