/** The plans as data: what an account of each may do (spec/interface.md, "Limits"). A limit of null is none. */
import { expected, Failure } from '../../base/failure.ts';
import type { Account } from '../../storage/repositories/accounts.ts';
import type { Key } from '../../storage/repositories/keys.ts';

/** What only a Pro account may use; the names are those of `features` in the usage record. */
export type ProFeature = 'pipelines' | 'jobs' | 'background_image' | 'watermark_image';

export interface Plan {
  requestsPerMonth: number | null;
  aiRequestsPerMonth: number | null;
  requestsPerMinute: number | null;
  /** Largest file, in bytes. */
  fileBytes: number;
  /** Largest source of an upscale, in pixels. */
  upscalePixels: number;
  /** Pages of one run of the website optimizer. */
  optimizePages: number;
  features: readonly ProFeature[];
}

export const PLAN_NAMES = ['free', 'pro'] as const;
export type PlanName = (typeof PLAN_NAMES)[number];

export const PLANS: Readonly<Record<PlanName, Plan>> = {
  free: {
    requestsPerMonth: 1000,
    aiRequestsPerMonth: 100,
    requestsPerMinute: 120,
    fileBytes: 20_000_000,
    upscalePixels: 1_000_000,
    optimizePages: 5,
    features: [],
  },
  pro: {
    requestsPerMonth: 20_000,
    aiRequestsPerMonth: 2000,
    requestsPerMinute: 600,
    fileBytes: 200_000_000,
    upscalePixels: 2_250_000,
    optimizePages: 50,
    features: ['pipelines', 'jobs', 'background_image', 'watermark_image'],
  },
};

/** Test keys are free of quota, whatever the plan, but held to these. */
export const TEST_KEY_LIMITS = { fileBytes: 1_000_000, requestsPerDay: 50 };

function isPlanName(name: string): name is PlanName {
  return Object.hasOwn(PLANS, name);
}

/** The plan of an account; one whose plan is no longer offered has what everybody has. */
export function planOf(account: Account): Plan {
  return isPlanName(account.plan) ? PLANS[account.plan] : PLANS.free;
}

/** Largest file that a request with this key may send, in bytes. */
export function fileLimitBytes(account: Account, key: Key): number {
  const { fileBytes } = planOf(account);
  return key.mode === 'test' ? Math.min(fileBytes, TEST_KEY_LIMITS.fileBytes) : fileBytes;
}

/** @throws Failure 403 `upgrade_required` when the plan does not have the feature */
export function requirePro(account: Account, feature: ProFeature): void {
  if (planOf(account).features.includes(feature)) return;
  throw new Failure('upgrade_required', expected('an account with the plan pro', feature, account.plan), {
    param: feature,
  });
}
