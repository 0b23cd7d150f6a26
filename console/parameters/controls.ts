/** Selects the control for a parameter from its declaration. */
import type { Parameter } from '../../server/console/declaration-types.ts';

export type ControlKind = 'segments' | 'select' | 'switch' | 'slider' | 'number' | 'colour' | 'list' | 'url' | 'text';

const MAX_SEGMENTS = 4;
const MAX_SEGMENTS_CHARS = 32;
/** A slider cannot set values of a wider range precisely. */
const MAX_SLIDER_RANGE = 720;

export function selectControl(parameter: Parameter): ControlKind {
  const { type, enum: choices, minimum, maximum } = parameter;
  if (choices) {
    const isShort = choices.length <= MAX_SEGMENTS && choices.join('').length <= MAX_SEGMENTS_CHARS;
    return isShort ? 'segments' : 'select';
  }
  if (type === 'boolean') return 'switch';
  if (type === 'array') return 'list';
  if (type === 'integer' || type === 'number') {
    const isNarrow = minimum !== undefined && maximum !== undefined && maximum - minimum <= MAX_SLIDER_RANGE;
    return type === 'integer' && isNarrow ? 'slider' : 'number';
  }
  if (isColour(parameter)) return 'colour';
  return parameter.name === 'url' || parameter.name === 'deliver_to' ? 'url' : 'text';
}

const isColour = ({ form = '', pattern }: Parameter): boolean => form.includes('#rrggbb') && pattern !== undefined;

/** Returns the words accepted in place of a colour, such as `transparent`: the words of `form` that match `pattern`. */
export function colourKeywords({ form = '', pattern = '' }: Parameter): string[] {
  const accepted = new RegExp(pattern, 'u');
  return (form.match(/\b[a-z]+\b/g) ?? []).filter((word) => accepted.test(word));
}

/** Props of the control of one parameter. */
export interface ControlProps {
  parameter: Parameter;
  /** Undefined means the default. */
  value: unknown;
  onValue(value: unknown): void;
  error: string | undefined;
}
