/** What the form of an address holds, and the markup that is made of it. */
import {
  type ImageAddressOptions,
  type SigningKey,
  signImageAddress,
  signSrcset,
} from '../../../client/image-address.ts';

export const FITS = ['inside', 'cover', 'contain', 'exact'] as const;
export const FORMATS = ['auto', 'avif', 'webp', 'jpeg', 'png'] as const;

export interface AddressDraft {
  source: string;
  /** Empty: the size of the source. */
  width: string;
  height: string;
  fit: (typeof FITS)[number];
  format: (typeof FORMATS)[number];
  /** Empty: the usual one. `auto`: the smallest file that still looks like the source. */
  quality: string;
  /** Further options, such as `r:90,border:2`. */
  others: string;
}

export const EMPTY_DRAFT: AddressDraft = {
  ...{ source: '', width: '800', height: '', fit: 'inside', format: 'auto', quality: 'auto', others: '' },
};

/** Returns the options of a draft. Those with their usual value are left out. */
export function optionsOf({ width, height, fit, format, quality, others }: AddressDraft): ImageAddressOptions {
  const further = others
    .split(',')
    .map((pair) => pair.trim().split(':'))
    .filter(([name]) => name)
    .map(([name, ...value]) => [name!, decodeValue(value.join(':'))]);
  return {
    w: width.trim() || undefined,
    h: height.trim() || undefined,
    fit: fit === 'inside' ? undefined : fit,
    f: format,
    q: quality.trim() || undefined,
    ...Object.fromEntries(further),
  };
}

/** As people write it, encoded or not. */
function decodeValue(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Signed texts for a page. */
export interface Markup {
  address: string;
  image: string;
}

/** Widths of a `srcset`, as factors of the width that is asked for. */
const FACTORS = [0.5, 1, 2];

export async function markupOf(baseUrl: string, key: SigningKey, draft: AddressDraft): Promise<Markup> {
  const options = optionsOf(draft);
  const source = draft.source.trim();
  const address = await signImageAddress(baseUrl, key, source, options);
  const [width, height] = [Number(draft.width), Number(draft.height)];
  // With a height, each width would need another one.
  if (!(width > 0) || height > 0) return { address, image: `<img src="${escaped(address)}" alt="">` };
  const widths = FACTORS.map((factor) => Math.round(width * factor));
  const srcset = await signSrcset(baseUrl, key, source, widths, options);
  const sizes = `(max-width: ${width}px) 100vw, ${width}px`;
  return { address, image: `<img src="${escaped(address)}" srcset="${escaped(srcset)}" sizes="${sizes}" alt="">` };
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
