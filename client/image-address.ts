/** Addresses of images for `<img src>`, signed with an API key. Uses WebCrypto. Keep the key on your server. */

/** Options by their names, short or long: `{ w: 800, f: 'auto', q: 'auto' }`. */
export type ImageAddressOptions = Readonly<Record<string, string | number | boolean | undefined>>;

/** Takes the place of the options of an address that has none. */
const NO_OPTIONS = '-';

export interface SigningKey {
  /** Id of the key: `key_…`. */
  id: string;
  /** The key itself: `ic_live_…`. */
  key: string;
}

/**
 * Signs the address of an image.
 * @param baseUrl URL of the service
 * @param source URL of the original image, or `store:NAME/PATH`
 * @param options a text is used as it is: pairs `name:value`, separated by commas, with percent-encoded values
 */
export async function signImageAddress(
  baseUrl: string,
  { id, key }: SigningKey,
  source: string,
  options: ImageAddressOptions | string = {},
): Promise<string> {
  const signed = `/${optionsPart(options)}/${sourcePart(source)}`;
  const encoder = new TextEncoder();
  const secret = await crypto.subtle.digest('SHA-256', encoder.encode(key));
  const hmac = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', hmac, encoder.encode(signed)));
  return `${baseUrl.replace(/\/+$/, '')}/i/${id}.${base64Url(signature)}${signed}`;
}

/**
 * Signs the addresses of one image in several widths.
 * @returns the value of a `srcset` attribute
 */
export async function signSrcset(
  baseUrl: string,
  key: SigningKey,
  source: string,
  widths: readonly number[],
  options: ImageAddressOptions = {},
): Promise<string> {
  const candidates = widths.map(
    async (w) => `${await signImageAddress(baseUrl, key, source, { ...options, w })} ${w}w`,
  );
  return (await Promise.all(candidates)).join(', ');
}

function optionsPart(options: ImageAddressOptions | string): string {
  if (typeof options === 'string') return options || NO_OPTIONS;
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => `${name}:${encodeURIComponent(String(value))}`).join(',') || NO_OPTIONS;
}

/** Slashes stay, so that the address can be read. */
const encodePath = (text: string): string => encodeURIComponent(text).replaceAll('%2F', '/').replaceAll('%3A', ':');

const sourcePart = (source: string): string =>
  source.startsWith('store:') ? encodePath(source) : `plain/${encodePath(source)}`;

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
