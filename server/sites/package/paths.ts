/**
 * The names of the new files of a website: their paths in the package and on the site (docs/spec/shapes.md, section 17.8). A
 * name depends only on the address and on its neighbours in the scan, not on what is mapped. So a name never stands for
 * a different image in the next package.
 */
import { createHash } from 'node:crypto';
import { FORMATS, type FormatId } from '../../../codecs/formats/registry.ts';
import { FILES_FOLDER } from '../../../replacement-package/layout.ts';
import { isSameHost } from '../domain.ts';

/** Subfolder for files of hosts other than the site's own. */
const HOSTS_FOLDER = '_hosts';
/** Subfolder, within a host, for files whose own folder has a name that not every system accepts. */
const NAMES_FOLDER = '_names';
const OWN_FOLDERS: ReadonlySet<string> = new Set([HOSTS_FOLDER, NAMES_FOLDER]);

/** Maximum length of a path in the package, in bytes of UTF-8: at most 200 characters in any script. */
const MAX_PATH_BYTES = 200;
/** Length reserved for the width of a variant and an extension. */
const MAX_ENDING_BYTES = 24;
const MAX_SLUG_CHARACTERS = 60;
const MAX_HOST_CHARACTERS = 80;
const HASH_DIGITS = 12;

/** Characters with a special meaning for a file system, a shell, server rules or a reader of the name. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}<>:"|?*\\/%$`{}^#]/u;
/** Names of devices on Windows, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin|conout)(?:\.|$)/i;
/** The ending of names made from a hash. A name of the site itself must not look like one. */
const HASHED = new RegExp(`--[0-9a-f]{${HASH_DIGITS}}$`, 'i');

const IMAGE_EXTENSIONS: ReadonlySet<string> = new Set(Object.values(FORMATS).flatMap(({ extensions }) => extensions));

/** The parsed address of an asset. */
export interface SiteAddress {
  url: string;
  /** Path and query. */
  path: string;
  /** The host when it is not the site's own. */
  host: string | undefined;
  /** The possible beginnings of addresses on this host, in lower case. */
  roots: readonly string[];
  /** Decoded folder with slashes around it; undefined when not every system accepts its name. */
  folder: string | undefined;
  /** Decoded name and its parts; undefined when it is not a plain image name. */
  file: { name: string; stem: string; extension: string } | undefined;
}

/**
 * Parses the address of an asset.
 * @param url normalized, http or https
 * @param siteHost host of the site, with its port unless it is the scheme's default
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

/**
 * Decodes a path segment into the name of a file or folder. Undefined when the name is unsafe or another segment could
 * give the same name.
 */
function decoded(segment: string): string | undefined {
  let name: string;
  try {
    name = decodeURIComponent(segment);
  } catch {
    return undefined;
  }
  const isSafe = name !== '' && !UNSAFE.test(name) && !RESERVED.test(name) && !/^[. ]|[. ]$/.test(name);
  return isSafe && encoded(name) === segment && isCaseStable(name) ? name : undefined;
}

/** Encodes a name as URL writes a path segment: characters that need no encoding are kept. */
const encoded = (name: string): string =>
  encodeURIComponent(name.normalize('NFC')).replaceAll(/%(?:24|26|2B|2C|3A|3B|3D|40)/g, decodeURIComponent);

/**
 * True when every non-ASCII letter is in lower case and has a reversible case conversion. On a case-insensitive system,
 * two such names can then differ only in the case of ASCII letters.
 */
const isCaseStable = (name: string): boolean =>
  [...name].every((letter) => letter <= '\x7f' || letter === letter.toLowerCase().toUpperCase().toLowerCase());

/** Which names next to the new file are taken by other addresses of the scan. */
export interface TakenNames {
  /** Another name begins with the stem of the name and a dot: `hero.`. */
  stemTaken: boolean;
  /** Another name begins with the whole name and a dot: `hero.jpg.`. */
  nameTaken: boolean;
  /** Another address is equal for a system that ignores case, or for a host that ignores the scheme or `www.`. */
  addressTaken: boolean;
}

/** The place of a new file, without the ending of its name. */
export interface Place {
  /** Path in the package. */
  to(format: string): string;
  /** Path on the site, encoded. */
  toPath(format: string): string;
  /** Both paths for a copy of another width. */
  variant(format: string, width: number): { to: string; toPath: string };
}

/** The place of the file that replaces an asset. */
export function placeOf(address: SiteAddress, surroundings: TakenNames): Place {
  const { folder, file, host } = address;
  const { stemTaken, nameTaken, addressTaken } = surroundings;
  const plain = file && (stemTaken ? (nameTaken || addressTaken ? undefined : file.name) : file.stem);
  const hostFolder = host === undefined ? '' : `/${HOSTS_FOLDER}/${hostName(host)}`;
  const base = FILES_FOLDER + hostFolder;
  const fits = (path: string) => Buffer.byteLength(base + path) + MAX_ENDING_BYTES <= MAX_PATH_BYTES;
  const stem = folder !== undefined && plain !== undefined && fits(folder + plain) ? plain : hashedStem(address);
  const siteFolder = folder ?? `/${NAMES_FOLDER}/`;
  const packageFolder = fits(siteFolder + stem) ? siteFolder : `/${NAMES_FOLDER}/`;
  const named = (format: string, infix = '') => {
    const extension = FORMATS[format as FormatId]?.extensions[0] ?? format;
    // Never the name of the original, which stays where it is.
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
  if (name.length > MAX_HOST_CHARACTERS) return `host--${hashOf(host)}`;
  return RESERVED.test(name) ? `_${name}` : name;
}

/** Makes a stem that no other address has. It keeps the readable words of the name. */
function hashedStem({ url, path }: SiteAddress): string {
  const name = path.slice(path.split('?')[0]!.lastIndexOf('/') + 1);
  const words = (
    decodeSafely(name)
      .normalize('NFKD')
      .match(/[A-Za-z0-9]+/g) ?? []
  ).join('-');
  const slug = words.slice(0, MAX_SLUG_CHARACTERS).replace(/-$/, '');
  return `${slug || 'image'}--${hashOf(url)}`;
}

function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS);
