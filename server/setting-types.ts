/** The types that settings have: how the text of an environment variable is parsed and checked. */
import { resolve } from 'node:path';
import { z } from 'zod';

/** How the text of a variable is parsed, and how error messages describe the expected text. */
export interface SettingType<T> {
  expected: string;
  schema: z.ZodType<T, string>;
  /** Of a list: how messages describe an item, and which part of a text is the first wrong item. */
  item?: { expected: string; firstWrong(text: string): string | undefined };
}

export interface Setting<T> extends SettingType<T> {
  env: string;
  default: T;
  /** The default as shown to people, where the value depends on the machine. */
  defaultText?: string;
  meaning: string;
  /** Never shown, neither by `imagecrew config` nor in an error message. */
  secret?: true;
}

export const declare = <T>(setting: Setting<T>): Setting<T> => setting;

export const text: SettingType<string> = {
  expected: 'printable ASCII without spaces',
  schema: z.string().regex(/^[\x21-\x7e]+$/),
};
export const path: SettingType<string> = {
  expected: 'a path',
  schema: z.string().transform((value) => resolve(value)),
};

export const integer = (min: number, max: number, unit = ''): SettingType<number> => ({
  expected: `an integer${unit} from ${min} to ${max}`,
  schema: z
    .string()
    .regex(/^[0-9]{1,16}$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max)),
});

export const bytes = (min: number, max: number): SettingType<number> => integer(min, max, ' of bytes');

export const choice = <const T extends readonly [string, ...string[]]>(values: T): SettingType<T[number]> => ({
  expected: `one of ${values.join(', ')}`,
  schema: z.string().pipe(z.enum(values)),
});

/** A URL with one of the protocols that can be extended by a path: without query and fragment. */
export const address = (protocols: readonly string[], example: string): SettingType<string> => ({
  expected: `an address like ${example}, without ? and #,`,
  schema: z
    .string()
    .refine((value) => {
      const url = URL.canParse(value) ? new URL(value) : undefined;
      return url !== undefined && protocols.includes(url.protocol) && !/[?#\s]/.test(value);
    })
    .transform((value) => value.replace(/\/+$/, '')),
});

/** A database on a PostgreSQL server, with its name. Options such as `sslmode=require` may follow. */
export const postgresAddress: SettingType<string> = {
  expected: 'an address like postgres://user:password@db.example.com:5432/imagecrew',
  schema: z.string().refine((value) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const isPostgres = url?.protocol === 'postgres:' || url?.protocol === 'postgresql:';
    return isPostgres && url.host !== '' && /^\/[^/]+$/.test(url.pathname) && !/[#\s]/.test(value);
  }),
};

/** A URL to which names are appended. User name and password are refused because requests would not send them. */
export const webFolder = (example: string): SettingType<string> => ({
  expected: `an address like ${example}, without user name and password,`,
  schema: address(['http:', 'https:'], '').schema.refine((value) => {
    const { username, password } = new URL(value);
    return username === '' && password === '';
  }),
});

/** A folder of a bucket. Its characters need no escape in an address, and a bucket has a name that hosts may have. */
export const bucketFolder: SettingType<string> = {
  expected: 'an address like s3://bucket/folder, of letters, digits and -._,',
  schema: z
    .string()
    .transform((value) => value.replace(/\/+$/, ''))
    .pipe(z.string().regex(/^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)*$/)),
};

export const boolean: SettingType<boolean> = {
  expected: 'true or false',
  schema: z.enum(['true', 'false']).transform((value) => value === 'true'),
};

/**
 * A list of items separated by commas.
 * @param what the items, @param item one of them, for messages
 */
export const list = (
  what: string,
  item: string,
  isItem: (text: string) => boolean,
): SettingType<readonly string[]> => ({
  expected: `a comma-separated list of ${what}`,
  schema: z
    .string()
    .transform(itemsOf)
    .refine((items) => items.every(isItem))
    .transform((items) => Object.freeze(items)),
  item: { expected: item, firstWrong: (text) => itemsOf(text).find((one) => !isItem(one)) },
});

const itemsOf = (text: string): string[] => text.split(',').map((item) => item.trim());

/** A list of integers. */
export function integers(min: number, max: number): SettingType<readonly number[]> {
  const one = integer(min, max);
  const all = list('integers', one.expected, (item) => one.schema.safeParse(item).success);
  return { ...all, schema: all.schema.transform((items) => Object.freeze(items.map(Number))) };
}

const NAMED_FOLDER = /^([a-z0-9][a-z0-9_-]{0,31})=(.+)$/;

/** Folders by name. */
export const folders: SettingType<ReadonlyMap<string, string>> = (() => {
  const all = list('folders like photos=/srv/photos', 'a folder like photos=/srv/photos', (item) =>
    NAMED_FOLDER.test(item),
  );
  const entryOf = (item: string): [string, string] => {
    const [, name, folder] = NAMED_FOLDER.exec(item)!;
    return [name!, resolve(folder!)];
  };
  return { ...all, schema: all.schema.transform((items) => new Map(items.map(entryOf))) };
})();

/** A host name, or `*.` and one for all names below it. */
export const isHostPattern = (item: string): boolean =>
  /^([*][.])?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?[.]?)+$/.test(item) && !item.endsWith('.');

/**
 * An unquoted display name before an address in brackets. It has no character that could make it look like another
 * address.
 */
const SENDER = /^(?:[^<>()[\]"\\,;:@\p{Cc}]+ <(?<named>\S+)>|(?<bare>\S+))$/u;

export const sender: SettingType<string> = {
  expected: 'a sender like Imagecrew <noreply@example.com>',
  schema: z.string().refine((value) => {
    const { named, bare } = SENDER.exec(value)?.groups ?? {};
    return z.email().safeParse(named ?? bare).success;
  }),
};

export const optional = <T>(kind: SettingType<T>): SettingType<T | undefined> => kind;

export const isOrigin = (item: string) => item === '*' || (URL.canParse(item) && new URL(item).origin === item);
