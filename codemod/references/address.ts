/** Splits addresses into parts without changing them. */

export interface Address {
  /** Host and port in lower case; undefined if the address has none. */
  host: string | undefined;
  /** As written, without query and fragment. */
  path: string;
  /** With its `?`; may be empty. */
  query: string;
  /** With its `#`; may be empty. */
  fragment: string;
  /** Everything before the path. */
  origin: string;
}

const PARTS = /^((?:https?:)?\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/is;

/** @returns undefined if the address does not name a file: `data:`, `mailto:`, only a fragment */
export function parseAddress(text: string): Address | undefined {
  const trimmed = text.trim();
  const [, origin = '', host, path = '', query = '', fragment = ''] = PARTS.exec(trimmed) ?? [];
  if (path === '' || (host === undefined && /^[a-z][a-z0-9+.-]*:/i.test(path))) return undefined;
  return { host: host?.toLowerCase(), path, query, fragment, origin };
}

/** Decodes percent-encoding per segment. A segment with an encoded slash stays encoded. */
export function decodedPath(path: string): string {
  return path
    .split('/')
    .map((segment) => {
      try {
        const name = decodeURIComponent(segment);
        return name.includes('/') ? segment : name;
      } catch {
        return segment;
      }
    })
    .join('/')
    .normalize('NFC');
}

/** The last segment. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Resolves `.` and `..`; undefined if the path leads above the root. */
export function resolvePath(folder: string, path: string): string | undefined {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}

/** Queries that only make caches notice a new version of a file. */
const CACHE_BUSTER = /^\?(?:(?:v|ver|version|rev|t|ts|cb|h|hash|_)=[^&]*|[0-9a-f]+|)$/i;

/**
 * Returns the address of another file in the same folder, encoded like the old address.
 * @param name decoded
 * @param isLiteral whether the reader of the address uses names without decoding them
 */
export function replaceName({ origin, path, query, fragment }: Address, name: string, isLiteral: boolean): string {
  const old = nameOf(path);
  const folder = path.slice(0, path.length - old.length);
  const isEncoded = !isLiteral && (decodedPath(old) !== old.normalize('NFC') || /^[\w.~!$'()*+,;=:@-]*$/.test(old));
  const written = isEncoded ? encodedName(name) : name;
  return origin + folder + written + (CACHE_BUSTER.test(query) ? '' : query) + fragment;
}

/** Encodes a path segment, except for characters that a URL may contain. */
const encodedName = (name: string): string =>
  encodeURIComponent(name).replaceAll(/%(?:24|26|2B|2C|3A|3B|3D|40)/g, decodeURIComponent);
