/** Reads a pack of icons for display. */

export interface Pack {
  /** Files by name, in the order of the pack. */
  files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  /** The HTML lines for the head of a page. */
  html: string;
  name: string;
  shortName: string;
  themeColour: string;
  background: string;
  /** File names by purpose. Undefined if the pack has none. */
  icons: {
    /** Icons for tabs, smallest first. */
    tab: string[];
    apple: string | undefined;
    maskable: string | undefined;
    /** The largest icon with the purpose `any`, which is shown without a mask. */
    app: string | undefined;
  };
}

/** A pack whose images have addresses that the page can show. */
export interface DisplayedPack extends Pack {
  url(name: string | undefined): string | undefined;
}

interface Manifest {
  name?: string;
  short_name?: string;
  theme_color?: string;
  background_color?: string;
  icons?: { src: string; sizes?: string; purpose?: string }[];
}

const WHITE = '#ffffff';

/** @throws SyntaxError if the manifest is not valid JSON */
export function readPack(entries: Readonly<Record<string, Uint8Array>>): Pack {
  const files = new Map(Object.entries(entries).map(([name, bytes]) => [name, Uint8Array.from(bytes)]));
  const text = (ending: string) => {
    const found = [...files].find(([name]) => name.endsWith(ending));
    return found && new TextDecoder().decode(found[1]);
  };
  const manifest = JSON.parse(text('.webmanifest') ?? '{}') as Manifest;
  const named = (pattern: RegExp) => [...files.keys()].filter((name) => pattern.test(name)).sort(compareBySize);
  const declared = (purpose: string) =>
    (manifest.icons ?? [])
      .filter((icon) => (icon.purpose ?? 'any').split(' ').includes(purpose))
      .map(({ src }) => src.replace(/^\//, ''))
      .filter((name) => files.has(name))
      .sort(compareBySize)
      .at(-1);
  const name = manifest.name ?? manifest.short_name ?? '';
  return {
    files,
    html: text('.html')?.trim() ?? '',
    name,
    shortName: manifest.short_name ?? name,
    themeColour: manifest.theme_color ?? WHITE,
    background: manifest.background_color ?? WHITE,
    icons: {
      tab: named(/^favicon-\d+x\d+\.png$/),
      apple: named(/^apple-touch-icon.*\.png$/).at(-1),
      maskable: declared('maskable'),
      app: declared('any'),
    },
  };
}

/** Returns the side length in pixels from the end of a file name. */
export const sizeFromName = (name: string): number => Number(/(\d+)\.\w+$/.exec(name)?.[1] ?? 0);
const compareBySize = (one: string, other: string): number => sizeFromName(one) - sizeFromName(other);

/** Returns black or white, whichever has more contrast on a colour (`#rrggbb`), by relative luminance (WCAG 2.2). */
export function textColourOn(colour: string): '#000000' | '#ffffff' {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  // At this luminance both have the same contrast.
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000000' : '#ffffff';
}
