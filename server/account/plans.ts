/**
 * The limits and features of accounts. The plans `free` and `pro` have the values of docs/spec/interface.md, "Limits", and
 * of docs/spec/shapes.md, section 16.9. An operator can change them and add plans in a JSON file.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { expected, Failure, invalidParameter } from '../../base/failure.ts';
import { jsonErrorPlace } from '../../base/json-error.ts';
import { isObject } from '../../base/object.ts';
import { describeExpectation, parameterSchema } from '../../base/parameter-schema.ts';
import { hintForName } from '../../base/unknown-name.ts';
import type { Account } from '../../storage/records/accounts.ts';
import type { Key } from '../../storage/records/keys.ts';
import type { Config } from '../config.ts';

/** Features of some plans only. Their names are those of `features` in the usage record. */
export const PRO_FEATURES = ['pipelines', 'jobs', 'background_image', 'watermark_image'] as const;
export type ProFeature = (typeof PRO_FEATURES)[number];

export const isProFeature = (name: string): name is ProFeature => (PRO_FEATURES as readonly string[]).includes(name);

/** The largest integer in a header field (RFC 9651, section 3.3.1), because the RateLimit header contains limits. */
const MAX_HEADER_INTEGER = 999_999_999_999_999;

const count = z.int().min(0).max(MAX_HEADER_INTEGER);
const size = z.int().min(1).max(MAX_HEADER_INTEGER);
const perPeriod = count.nullable();
/** At most a century, so that the resulting date is valid. */
const days = z.int().min(1).max(36_500);

/** A plan as written in the operator's file. */
const planSchema = z.strictObject({
  /** null: no limit; the same for the next two. */
  requests_per_month: perPeriod,
  ai_requests_per_month: perPeriod,
  requests_per_minute: size.nullable(),
  /** Maximum size of a file, in bytes. */
  file_bytes: size,
  /** Maximum size of the source of an upscale, in pixels. */
  upscale_pixels: size,
  /** Pages of one run of POST /api/v1/sites/optimize. */
  optimize_pages: count,
  /** Pages of one website scan. */
  scan_pages: count,
  /** Websites that may be scanned. */
  websites: count,
  /** Images of one website scan. */
  scan_assets: count,
  /** Bytes that one website scan fetches. */
  scan_bytes: count,
  /** Website scans that run at a time. Further ones wait. */
  running_scans: size,
  /** How long the files of a website scan are kept. */
  scan_keep_days: days,
  /** Images of one job: as URLs, and as parts of an upload. */
  job_images_json: count,
  job_images_multipart: count.max(20),
  features: z.array(z.enum(PRO_FEATURES)),
});

export type Plan = Readonly<z.output<typeof planSchema>>;

const FREE: Plan = {
  requests_per_month: 1000,
  ai_requests_per_month: 100,
  requests_per_minute: 120,
  file_bytes: 20_000_000,
  upscale_pixels: 1_000_000,
  optimize_pages: 5,
  scan_pages: 5,
  websites: 1,
  scan_assets: 500,
  scan_bytes: 1_000_000_000,
  running_scans: 1,
  scan_keep_days: 30,
  job_images_json: 100,
  job_images_multipart: 20,
  features: [],
};

const PRO: Plan = {
  ...FREE,
  requests_per_month: 20_000,
  ai_requests_per_month: 2000,
  requests_per_minute: 600,
  file_bytes: 200_000_000,
  upscale_pixels: 2_250_000,
  optimize_pages: 50,
  scan_pages: 50,
  websites: 5,
  scan_assets: 5000,
  scan_bytes: 10_000_000_000,
  running_scans: 2,
  features: [...PRO_FEATURES],
};

const PLAN_NAME = /^[a-z][a-z0-9_-]{0,39}$/;

const basePlan = z.enum(['free', 'pro']);

/** A new plan starts from the one it is based on (default: free) and overrides the fields that it names. */
type PlanChange = Partial<Plan> & { readonly based_on?: z.output<typeof basePlan> };

/** The fields that a plan in the file may have. */
const FIELDS: ReadonlyMap<string, z.ZodType> = new Map(Object.entries({ ...planSchema.shape, based_on: basePlan }));

/** Limits of test keys. They use no quota, whatever the plan. */
export const TEST_KEY_LIMITS = { fileBytes: 1_000_000, requestsPerDay: 50 };

/** The default file of plans, in the data folder. */
const FILE_NAME = 'plans.json';

export class Plans {
  readonly #plans: ReadonlyMap<string, Plan>;

  /** @param changes contents of the operator's file */
  constructor(changes: Readonly<Record<string, PlanChange>> = {}) {
    const plans = new Map<string, Plan>([
      ['free', FREE],
      ['pro', PRO],
    ]);
    for (const [name, { based_on = name === 'pro' ? 'pro' : 'free', ...own }] of Object.entries(changes))
      plans.set(name, { ...(based_on === 'pro' ? PRO : FREE), ...own });
    this.#plans = plans;
  }

  /**
   * Loads the plans of this service: from the JSON file of the
   * settings, or from `plans.json` in the data folder, if it exists.
   * @throws Failure if the file is missing or invalid
   */
  static async load({ plansFile, dataDir }: Pick<Config, 'plansFile' | 'dataDir'>): Promise<Plans> {
    const path = plansFile ?? join(dataDir, FILE_NAME);
    const place = plansFile === undefined ? `${FILE_NAME} in IC_DATA_DIR` : 'IC_PLANS_FILE';
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' && plansFile === undefined) return '{}';
      throw invalidPlansFile(`a file that can be read (${error.code})`, place, path, error);
    });
    try {
      return new Plans(parseChanges(text, place));
    } catch (error) {
      throw error instanceof Failure ? withFile(error, path) : error;
    }
  }

  get names(): string[] {
    return [...this.#plans.keys()];
  }

  /** @throws Failure 400 if there is no plan of that name */
  check(name: string): void {
    if (!this.#plans.has(name)) throw invalidParameter(`one of ${this.names.join(', ')}`, 'plan', name);
  }

  /** Returns the plan of an account. If the plan is no longer offered, returns the plan free. */
  of({ plan }: Pick<Account, 'plan'>): Plan {
    return this.#plans.get(plan) ?? this.#plans.get('free')!;
  }

  /** Returns the maximum size of a file in a request with this key, in bytes. */
  fileLimitBytes(account: Account, key: Key): number {
    const { file_bytes } = this.of(account);
    return key.mode === 'test' ? Math.min(file_bytes, TEST_KEY_LIMITS.fileBytes) : file_bytes;
  }

  /** @throws Failure 403 `upgrade_required` if the plan lacks the feature */
  requirePro(account: Account, feature: ProFeature): void {
    if (this.of(account).features.includes(feature)) return;
    throw new Failure('upgrade_required', expected('an account with the plan pro', feature, account.plan), {
      param: feature,
      hint: `Ask the operator of the service for a plan with the feature ${feature}.`,
    });
  }
}

/** @param place where the text comes from, for error messages */
function parseChanges(text: string, place: string): Record<string, PlanChange> {
  const plans = parseJson(text, place);
  if (!isObject(plans)) throw invalidPlansFile('an object of plans by their names', place, plans);
  for (const [name, plan] of Object.entries(plans)) {
    if (!PLAN_NAME.test(name))
      throw invalidPlansFile(
        'at most 40 of a-z, 0-9, _ and -, a letter first,',
        `the name of a plan in ${place}`,
        name,
      );
    if (!isObject(plan)) throw invalidPlansFile('an object', `${name} in ${place}`, plan);
    for (const [field, value] of Object.entries(plan)) {
      const schema = FIELDS.get(field);
      if (!schema)
        throw new Failure('invalid_parameter', expected('a field of plans', `${name} in ${place}`, field), {
          hint: hintForName(field, FIELDS.keys()),
        });
      if (schema.safeParse(value).success) continue;
      throw invalidPlansFile(describeExpectation(parameterSchema(schema)), `${name}.${field} in ${place}`, value);
    }
  }
  return plans as Record<string, PlanChange>;
}

function parseJson(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const sentence = `Expected JSON in ${place} but it is invalid in ${jsonErrorPlace(text)}.`;
    throw new Failure('invalid_parameter', sentence, { cause: error });
  }
}

/** The same failure, whose hint names the file too. */
const withFile = ({ code, message, hint, cause }: Failure, path: string): Failure =>
  new Failure(code, message, { hint: [hint, `The file is ${path}.`].filter(Boolean).join(' '), cause });

const invalidPlansFile = (what: string, where: string, received: unknown, cause?: unknown): Failure =>
  new Failure('invalid_parameter', expected(what, where, received), { cause });
