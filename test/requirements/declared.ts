/** Parts of promises that come from the declarations of parameters, so that no bound is written twice. */
import { z } from 'zod';

interface Property {
  type?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  enum?: readonly unknown[];
  default?: unknown;
}

/** @param params declaration of the parameters of an operation */
export function declared(params: z.ZodType) {
  const { properties = {} } = z.toJSONSchema(params, { io: 'input', unrepresentable: 'any' });
  const property = (name: string): Property => {
    const found = properties[name];
    if (typeof found !== 'object') throw new TypeError(`Expected a declared parameter but received ${name}.`);
    return found as Property;
  };
  /** A member that the declaration must have. */
  const member = <K extends keyof Property>(name: string, key: K): NonNullable<Property[K]> => {
    const value = property(name)[key];
    if (value === undefined || value === null) throw new TypeError(`Expected ${key} in the declaration of ${name}.`);
    return value as NonNullable<Property[K]>;
  };
  return {
    /** `quality is an integer from 1 to 100`; several parameters have the same range. */
    range(...names: readonly [string, ...string[]]): string {
      const ranges = names.map((name) => {
        const type = member(name, 'type');
        const kind = names.length === 1 ? `is ${type === 'integer' ? 'an' : 'a'} ${type}` : `are ${type}s`;
        return `${kind} from ${member(name, 'minimum')} to ${member(name, 'maximum')}`;
      });
      if (new Set(ranges).size > 1) throw new TypeError(`Expected one range for ${names.join(', ')}.`);
      return `${names.join(' and ')} ${ranges[0]}`;
    },
    /** `fit is one of inside, exact, cover, contain` */
    values: (name: string): string => `${name} is one of ${member(name, 'enum').join(', ')}`,
    /** `name has at most 60 characters` */
    length: (name: string): string => `${name} has at most ${member(name, 'maxLength')} characters`,
    /** `default 75` */
    default: (name: string): string => `default ${member(name, 'default')}`,
    /** `quality is 75 when it is not given` */
    unset: (name: string): string => `${name} is ${member(name, 'default')} when it is not given`,
  };
}
