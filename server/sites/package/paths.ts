/**
 * The names of the new files of a website: where they lie in the package and on the site (spec/shapes.md, section 17.8).
 * They are made from the address alone, and from what else of the scan lies beside it; not from what is mapped, so that a
 * name never stands for another picture in the next package.
 */
import { createHash } from 'node:crypto';
import { FORMATS, type FormatId } from '../../../codecs/formats.ts';
import { isSameHost } from '../domain.ts';

/** Folder of the package that holds the new files. */
export const FILES_FOLDER = 'files';
/** Within it: files of other hosts than the site's own. */
const HOSTS_FOLDER = '_hosts';
/** Within it and on a host: files whose own folder has no name that every system takes. */
const NAMES_FOLDER = '_names';
const OWN_FOLDERS: ReadonlySet<string> = new Set([HOSTS_FOLDER, NAMES_FOLDER]);

/** Of a path in the package, in bytes of UTF-8: at most 200 characters in any writing. */
const LONGEST_PATH = 200;
/** Room for the width of a variant and an extension. */
const LONGEST_ENDING = 24;
const LONGEST_SLUG = 60;
const LONGEST_HOST = 80;
const HASH_DIGITS = 12;

/** Characters that a file system, a shell, a server's rules or a reader of the name may take for something else. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}<>:"|?*\\/%$`{}^#]/u;
/** Names of devices of Windows, whatever their extension. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin|conout)(?:\.|$)/i;
/** As names end that are made from a hash: no name of the site itself may look like it. */
const HASHED = new RegExp(`--[0-9a-f]{${HASH_DIGITS}}$`, 'i');

const IMAGE_EXTENSIONS: ReadonlySet<string> = new Set(Object.values(FORMATS).flatMap(({ extensions }) => extensions));

/** The address of an asset, taken apart. */
export interface SiteAddress {
  url: string;
  /** Path and query. */
  path: string;
  /** Of another host than the site's own. */
  host: string | undefined;
  /** How every address of this host may begin, in lower case. */
  roots: readonly string[];
  /** Decoded, with slashes around it; undefined where it has no name that every system takes. */
  folder: string | undefined;
  /** Decoded name and its parts; undefined where it is no plain name of an image. */
  file: { name: string; stem: string; extension: string } | undefined;
}

/**
 * @param url normalised, of http or https
 * @param siteHost host of the site with its port where that is not the scheme's own
 */
export function siteAddress(url: string, siteHost: string): SiteAddress {
  const { hostname, port, pathname, search } = new URL(url);
  const [siteName, sitePort] = splitHost(siteHost);
  const own = isSameHost(hostname, siteName) && port === sitePort;
  const names = own ? [siteName.replace(/^www\./, ''), `www.${siteName.replace(/^www\./, '')}`] : [hostname];
  const ending = port && `:${port}`;
  const segments = pathname.slice(1).split('/');
  const last = segments.pop()!;
  const folders = segments.map(decoded);
  const isOurs = OWN_FOLDERS.has(folders[0]?.toLowerCase() ?? '');
  const isPlain = folders.every((each) => each !== undefined) && !isOurs;
  return {
    url,
    path: pathname + search,
    host: own ? undefined : hostname + ending,
    roots: names.flatMap((name) => [`https://${name}${ending}`, `http://${name}${ending}`]),
    folder: isPlain ? ['', ...folders, ''].join('/') : undefined,
    file: search === '' ? plainFile(last) : undefined,
  };
}

function splitHost(host: string): [name: string, port: string] {
  const [, name = host, port = ''] = /^(.*?)(?::([0-9]+))?$/.exec(host) ?? [];
  return [name, port];
}

function plainFile(segment: string): SiteAddress['file'] {
  const name = decoded(segment);
  const dot = name?.lastIndexOf('.') ?? -1;
  if (name === undefined || dot <= 0) return undefined;
  const [stem, extension] = [name.slice(0, dot), name.slice(dot + 1)];
  const isImage = IMAGE_EXTENSIONS.has(extension.toLowerCase());
  return isImage && !/[. ]$/.test(stem) && !HASHED.test(stem) ? { name, stem, extension } : undefined;
}

/** A segment of a path as the name of a file or folder; undefined where that is unsafe, or not this segment's alone. */
function decoded(segment: string): string | undefined {
  let name: string;
  try {
    name = decodeURIComponent(segment);
  } catch {
    return undefined;
  }
  const isSafe = name !== '' && !UNSAFE.test(name) && !RESERVED.test(name) && !/^[. ]|[. ]$/.test(name);
  return isSafe && encoded(name) === segment && hasOneCase(name) ? name : undefined;
}

/** As URL writes a segment of a path, without what it need not encode. */
function encoded(name: string): string {
  return encodeURIComponent(name.normalize('NFC')).replaceAll(/%(?:24|26|2B|2C|3A|3B|3D|40)/g, decodeURIComponent);
}

/** Whether two such names differ for a system that ignores capitals is told by those of ASCII alone. */
function hasOneCase(name: string): boolean {
  return [...name].every((letter) => letter <= '\x7f' || letter === letter.toLowerCase().toUpperCase().toLowerCase());
}

/** What else of a scan lies where the new file would. */
export interface Surroundings {
  /** Something begins with the stem of the name and a dot: `hero.`. */
  stemTaken: boolean;
  /** Something begins with the whole name and a dot: `hero.jpg.`. */
  nameTaken: boolean;
  /** Something has the same address to a system that ignores capitals, or to a host that ignores the scheme or `www.`. */
  addressTaken: boolean;
}

/** Where a new file lies, but for the ending of its name. */
export interface Place {
  /** Path in the package. */
  to(format: string): string;
  /** Path on the site, encoded. */
  toPath(format: string): string;
  /** The same of a copy with another width. */
  variant(format: string, width: number): { to: string; toPath: string };
}

/** The place of what an asset is replaced by. */
export function placeOf(address: SiteAddress, surroundings: Surroundings): Place {
  const { folder, file, host } = address;
  const { stemTaken, nameTaken, addressTaken } = surroundings;
  const plain = file && (stemTaken ? (nameTaken || addressTaken ? undefined : file.name) : file.stem);
  const hostFolder = host === undefined ? '' : `/${HOSTS_FOLDER}/${hostName(host)}`;
  const base = FILES_FOLDER + hostFolder;
  const fits = (path: string) => Buffer.byteLength(base + path) + LONGEST_ENDING <= LONGEST_PATH;
  const stem = folder !== undefined && plain !== undefined && fits(folder + plain) ? plain : hashedStem(address);
  const siteFolder = folder ?? `/${NAMES_FOLDER}/`;
  const packageFolder = fits(siteFolder + stem) ? siteFolder : `/${NAMES_FOLDER}/`;
  const named = (format: string, infix = '') => {
    const extension = FORMATS[format as FormatId]?.extensions[0] ?? format;
    // Never the name of the original: that one stays where it is.
    const isSame = file !== undefined && extension === file.extension.toLowerCase();
    return `${stem}${isSame ? '.min' : ''}${infix}.${extension}`;
  };
  const at = (name: string) => ({
    to: base + packageFolder + name,
    toPath: (siteFolder + name).split('/').map(encoded).join('/'),
  });
  return {
    to: (format) => at(named(format)).to,
    toPath: (format) => at(named(format)).toPath,
    variant: (format, width) => at(named(format, `.${width}w`)),
  };
}

function hostName(host: string): string {
  const name = host.replaceAll(/[^a-z0-9.-]/g, '_');
  if (name.length > LONGEST_HOST) return `host--${hashOf(host)}`;
  return RESERVED.test(name) ? `_${name}` : name;
}

/** A stem that no other address has, with what can be kept of its own words. */
function hashedStem({ url, path }: SiteAddress): string {
  const name = path.slice(path.split('?')[0]!.lastIndexOf('/') + 1);
  const words = (
    decodeSafely(name)
      .normalize('NFKD')
      .match(/[A-Za-z0-9]+/g) ?? []
  ).join('-');
  const slug = words.slice(0, LONGEST_SLUG).replace(/-$/, '');
  return `${slug || 'image'}--${hashOf(url)}`;
}

function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS);
}
