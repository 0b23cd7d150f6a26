/**
 * A replacement package stored in the project: its map and the location of its files (docs/spec/shapes.md, section 17.8).
 */
import { z } from 'zod';
import { isObject } from '../../base/object.ts';
import { extensionOf } from '../../codecs/file-extension.ts';
import { FORMATS, type FormatId } from '../../codecs/formats/registry.ts';
import { CONTRACT_VERSION, FILES_FOLDER, MAPPING_FILE } from '../../replacement-package/layout.ts';
import { type MarkupPlace, markupPlaceSchema } from '../../replacement-package/markup-place.ts';
import { type Replacement, replacementSchema } from '../../replacement-package/replacement.ts';
import { packageInvalid } from '../errors.ts';
import { decodedPath } from '../references/address.ts';
import { isSafePath } from './safe-path.ts';

const ID = /^[A-Za-z0-9_]{1,64}$/;
/** Format of the files in `avif`, independent of the format of the line. */
const AVIF = 'avif' satisfies FormatId;
const SHA256 = /^[0-9a-f]{64}$/;

/** Maximum items in each list of a line. A scan writes at most this number of spellings. */
const MAX_ITEMS = 100;

/** Fields that are validated for each additional file. */
const copy = { to: z.string().refine(isPackagePath), sha256: z.string().regex(SHA256) };

const line = replacementSchema.extend({
  from: z.string().refine(isWebAddress),
  from_sha256: z.string().regex(SHA256),
  to_sha256: z.string().regex(SHA256),
  to: z.string().refine(isPackagePath),
  srcset: z.array(
    replacementSchema.shape.srcset.unwrap().extend({
      to: z.string().refine(isPackagePath),
      // Missing in packages of earlier versions.
      sha256: z.string().regex(SHA256).or(z.literal('')).default(''),
      bytes: z.int().min(0).default(0),
      height: z.int().min(0).default(0),
    }),
  ),
  // Missing in packages of earlier versions.
  unresized: replacementSchema.shape.unresized.unwrap().extend(copy).nullable().default(null),
  avif: replacementSchema.shape.avif
    .unwrap()
    .extend({ ...copy, unresized: replacementSchema.shape.unresized.unwrap().extend(copy).nullable() })
    .nullable()
    .default(null),
  srcset_markup: replacementSchema.shape.srcset_markup.default(null),
});

const markupPlace = markupPlaceSchema.extend({
  from: z.string().refine(isWebAddress),
  from_sha256: z.string().regex(SHA256).nullable(),
});

const mappingSchema = z.object({
  contract_version: z.literal(CONTRACT_VERSION),
  package_id: z.string().regex(ID),
  scan_id: z.string().regex(ID),
  domain: z.string().min(1).max(253),
  replacements: z.array(z.unknown()),
  // Missing in packages of earlier versions.
  scanned_pages: z.array(z.string()).default([]),
  markup_places: z.array(markupPlace).default([]),
});

export interface ReplacementPackage {
  id: string;
  scanId: string;
  domain: string;
  lines: readonly Replacement[];
  /** URLs of the pages that were scanned. */
  scannedPages: readonly string[];
  /** Places of images with incomplete markup. */
  markupPlaces: readonly MarkupPlace[];
  /** Whether images for crawlers and mail programs may get new formats too. Not all of these programs support them. */
  mapsSocial: boolean;
  /** Folder of the files, relative to the root. */
  folder: string;
}

function isPackagePath(path: string): boolean {
  return path.startsWith(`${FILES_FOLDER}/`) && isSafePath(path);
}

function isWebAddress(address: string): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}

/**
 * Whether all names have an extension of their format. Otherwise a package could write files that a server executes.
 */
function hasMatchingExtensions({ to, to_path, to_format: format, srcset, unresized, avif }: Replacement): boolean {
  const copies = [{ to, to_path }, ...srcset, ...(unresized ? [unresized] : [])];
  const avifs = avif ? [avif, ...(avif.unresized ? [avif.unresized] : [])] : [];
  return copies.every((each) => isNamedAs(format, each)) && avifs.every((each) => isNamedAs(AVIF, each));
}

function isNamedAs(format: string, { to, to_path: toPath }: { to: string; to_path: string }): boolean {
  const extensions: readonly string[] = Object.hasOwn(FORMATS, format) ? FORMATS[format as FormatId].extensions : [];
  return [to, toPath].every((name) => extensions.includes(extensionOf(decodedPath(name))));
}

/** Parses lines one by one and stops at the first error. @throws Failure `package_invalid` */
function parseLine(value: unknown, index: number): Replacement {
  const fault = (at: string, cause?: unknown) =>
    packageInvalid(`a ${MAPPING_FILE} that is wrong at replacements.${index}${at}`, cause);
  if (isObject(value) && Object.values(value).some((item) => Array.isArray(item) && item.length > MAX_ITEMS))
    throw fault('');
  const { success, data, error } = line.safeParse(value);
  if (!success) throw fault(error.issues[0]?.path.map((key) => `.${String(key)}`).join('') ?? '', error);
  if (!hasMatchingExtensions(data)) throw fault('.to_format');
  return data;
}

/**
 * Parses the map of a package.
 * @param folderOf returns the folder of a package id, relative to the root
 * @throws Failure `package_invalid`
 */
export function parsePackage(json: string, folderOf: (id: string) => string): ReplacementPackage {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw packageInvalid(`a ${MAPPING_FILE} that is not JSON`, error);
  }
  const { success, data, error } = mappingSchema.safeParse(value);
  if (!success) {
    const [issue] = error.issues;
    throw packageInvalid(`a ${MAPPING_FILE} that is wrong at ${issue?.path.join('.') || 'its top'}`, error);
  }
  const settings = (value as { settings?: unknown }).settings;
  return {
    id: data.package_id,
    scanId: data.scan_id,
    domain: data.domain,
    lines: data.replacements.map(parseLine),
    scannedPages: data.scanned_pages,
    markupPlaces: data.markup_places,
    mapsSocial: isObject(settings) && settings.map_social === true,
    folder: folderOf(data.package_id),
  };
}

export interface NewFile {
  format: string;
  /** Missing for `srcset` files in packages of earlier versions. */
  sha256?: string;
  bytes?: number;
}

/** Lists the new files by their paths in the package. @throws Failure `package_invalid` */
export function filesOf(lines: readonly Replacement[]): Map<string, NewFile> {
  const files = new Map<string, NewFile>();
  const add = (to: string, file: NewFile) => {
    const other = files.get(to)?.sha256;
    if (other !== undefined && other !== file.sha256) throw packageInvalid(`two files in one place: "${to}"`);
    files.set(to, file);
  };
  for (const { to, to_sha256: sha256, to_bytes: bytes, to_format: format, srcset, unresized, avif } of lines) {
    add(to, { sha256, bytes, format });
    for (const each of unresized ? [...srcset, unresized] : srcset)
      add(each.to, { format, ...(each.sha256 === '' ? {} : { sha256: each.sha256, bytes: each.bytes }) });
    for (const each of avif ? [avif, avif.unresized] : [])
      if (each) add(each.to, { sha256: each.sha256, bytes: each.bytes, format: AVIF });
  }
  return files;
}
