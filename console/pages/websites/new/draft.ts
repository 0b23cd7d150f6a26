/** The values of the form that starts a scan, and the request made from them. */
import type { Parameter } from '../../../../server/console/declaration-types.ts';
import type { Values } from '../../../parameters/values.ts';
import type { CreateScanBody } from '../types.ts';

export type Source = NonNullable<CreateScanBody['source']>;

export interface Draft {
  source: Source;
  url: string;
  urls: string;
  name: string;
  /** As typed. Empty means as many as the plan allows. */
  maxPages: string;
  /** Empty means none. */
  package: string;
  review: boolean;
  isManual: boolean;
  settings: Values;
}

export const EMPTY: Draft = {
  source: 'url',
  url: '',
  urls: '',
  name: '',
  maxPages: '',
  package: '',
  review: false,
  isManual: false,
  settings: {},
};

export type Field = 'url' | 'urls' | 'name' | 'max_pages' | 'package';

/** Returns an error message for each field that cannot be sent. */
export function validate({ source, url, urls, maxPages }: Draft): Partial<Record<Field, string>> {
  const faults: Partial<Record<Field, string>> = {};
  if (source === 'list' && urls.trim() === '') faults.urls = 'Paste one address a line.';
  if (source !== 'list' && url.trim() === '') faults.url = 'Enter the address, as example.com.';
  if (!/^(?:[1-9]\d{0,8})?$/.test(maxPages.trim()))
    faults.max_pages = `Expected a whole number of at least 1 for most pages but received ${JSON.stringify(maxPages)}.`;
  return faults;
}

/** @param projectId id of the website's project, if it is scanned again */
export function toRequestBody(draft: Draft, projectId: string | undefined): CreateScanBody {
  const { source, url, urls, name, maxPages, package: credit, review, isManual, settings } = draft;
  return {
    source,
    ...(source === 'list' ? { urls } : { url: url.trim() }),
    ...(projectId === undefined ? {} : { project_id: projectId }),
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    ...(maxPages.trim() === '' ? {} : { max_pages: Number(maxPages) }),
    ...(credit === '' ? {} : { package: credit as NonNullable<CreateScanBody['package']> }),
    review,
    optimize: isManual ? 'manual' : 'auto',
    ...(Object.keys(settings).length === 0 ? {} : { settings: settings as NonNullable<CreateScanBody['settings']> }),
  };
}

/** Returns the field or setting that shows an error of the service, or undefined if it is shown below the form. */
export function locateError(param: string | undefined): { field: Field } | { setting: string } | undefined {
  const FIELDS: readonly string[] = ['url', 'urls', 'name', 'max_pages', 'package'] satisfies Field[];
  if (param === undefined) return undefined;
  if (param.startsWith('settings.')) return { setting: param.slice('settings.'.length) };
  return FIELDS.includes(param) ? { field: param as Field } : undefined;
}

/** Removes null defaults, so that the control stays empty to mean "none". */
export const removeNullDefaults = (parameters: readonly Parameter[]): Parameter[] =>
  parameters.map(({ default: usual, ...parameter }) =>
    usual === null || usual === undefined ? parameter : { ...parameter, default: usual },
  );
