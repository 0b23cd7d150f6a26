/**
 * The manifest of requirements: one id for every promise of the interface. Tests cite the ids that they prove with
 * `verifies(…)`; `npm run check:requirements` lists the proved ones. Never rename an id or change its meaning.
 */
import { account } from './account.ts';
import { authentication } from './auth.ts';
import { blurFaces } from './blur-faces.ts';
import { compress } from './compress.ts';
import { headers, input, output } from './conventions.ts';
import { errors } from './errors.ts';
import { faces } from './faces.ts';
import { favicon, faviconPack } from './favicon.ts';
import { gif } from './gif.ts';
import { idPhoto, idPhotoPresets } from './id-photo.ts';
import { inspect } from './inspect.ts';
import { jobs, webhooks } from './jobs.ts';
import { limits } from './limits.ts';
import { localMcp, mcp } from './mcp.ts';
import { ocr } from './ocr.ts';
import { pipeline, pipelines } from './pipelines.ts';
import { removeBackground } from './remove-background.ts';
import type { Requirement } from './requirement.ts';
import { service, versioning } from './service.ts';
import { siteScanCreate, siteScanUpdate, sites } from './sites.ts';
import { upscale } from './upscale.ts';

/** All chapters, in the order of the interface specification. */
export const CHAPTERS = [
  service,
  input,
  output,
  headers,
  compress,
  inspect,
  removeBackground,
  upscale,
  favicon,
  faviconPack,
  gif,
  idPhotoPresets,
  idPhoto,
  faces,
  blurFaces,
  ocr,
  pipeline,
  pipelines,
  jobs,
  sites,
  siteScanCreate,
  siteScanUpdate,
  account,
  mcp,
  localMcp,
  authentication,
  webhooks,
  errors,
  limits,
  versioning,
] as const;

type KeysOfEach<T> = T extends unknown ? keyof T : never;

export type RequirementId = KeysOfEach<(typeof CHAPTERS)[number]>;

export const REQUIREMENTS: ReadonlyMap<string, Requirement> = new Map(
  CHAPTERS.flatMap((entries): [string, Requirement][] => Object.entries(entries)),
);

export function isRequirementId(text: string): text is RequirementId {
  return REQUIREMENTS.has(text);
}
