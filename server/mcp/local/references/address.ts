/** Addresses as sources write them, taken apart without being changed. */

export interface Address {
  /** Host with its port, in lower case, of an address that names one. */
  host: string | undefined;
  /** As it is written, without query and fragment. */
  path: string;
  /** With its `?`, or ''. */
  query: string;
  /** With its `#`, or ''. */
  fragment: string;
  /** All that is before the path. */
  origin: string;
}

const PARTS = /^((?:https?:)?\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/is;

/** @returns undefined for what leads to no file: `data:`, `mailto:`, a fragment alone */
export function parseAddress(text: string): Address | undefined {
  const trimmed = text.trim();
  const [, origin = '', host, path = '', query = '', fragment = ''] = PARTS.exec(trimmed) ?? [];
  if (path === '' || (host === undefined && /^[a-z][a-z0-9+.-]*:/i.test(path))) return undefined;
  return { host: host?.toLowerCase(), path, query, fragment, origin };
}

/** Percent-encoding resolved, segment by segment: an encoded slash is no end of one. */
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
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Resolves `.` and `..`; undefined where it leads above the top. */
export function joined(folder: string, path: string): string | undefined {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}

/** What only tells a cache that a file has changed. */
const CACHE_BUSTER = /^\?(?:(?:v|ver|version|rev|t|ts|cb|h|hash|_)=[^&]*|[0-9a-f]+|)$/i;

/**
 * The address of another file in the same folder, in the style of the old one.
 * @param name decoded
 * @param isLiteral what reads the address takes its name as it is written
 */
export function withName({ origin, path, query, fragment }: Address, name: string, isLiteral: boolean): string {
  const old = nameOf(path);
  const folder = path.slice(0, path.length - old.length);
  const isEncoded = !isLiteral && (decodedPath(old) !== old.normalize('NFC') || /^[\w.~!$'()*+,;=:@-]*$/.test(old));
  const written = isEncoded ? encodedName(name) : name;
  return origin + folder + written + (CACHE_BUSTER.test(query) ? '' : query) + fragment;
}

/** As URL writes a segment, without what it need not encode. */
function encodedName(name: string): string {
  return encodeURIComponent(name).replaceAll(/%(?:24|26|2B|2C|3A|3B|3D|40)/g, decodeURIComponent);
}
