/** The text files of a pack: the web app manifest (W3C) and the lines for the head of a page. */
import { element } from '../html.ts';
import { ICONS, type IconUse } from './icons.ts';
import type { FaviconParams } from './params.ts';

export const ICO_FILE = 'favicon.ico';
export const MANIFEST_FILE = 'site.webmanifest';
export const HTML_FILE = 'favicon.html';

/** Facts about the site; colours as `#rrggbb`. */
export interface Site {
  name: string;
  shortName: string;
  themeColor: string;
  background: string;
}

export function siteOf({ name, short_name, theme_color, background }: FaviconParams): Site {
  const colour = (text: string) => `#${text.replace('#', '').toLowerCase()}`;
  return {
    name,
    shortName: short_name ?? name,
    themeColor: colour(theme_color),
    background: colour(background),
  };
}

const sizes = (side: number) => `${side}x${side}`;
const iconsFor = (...uses: IconUse[]) => ICONS.filter(({ use }) => uses.includes(use));

/** Paths are relative to the manifest. */
export function manifestText({ name, shortName, themeColor, background }: Site): string {
  const manifest = {
    id: '/',
    name,
    short_name: shortName,
    start_url: '/',
    display: 'standalone',
    theme_color: themeColor,
    background_color: background,
    icons: iconsFor('app', 'maskable').map(({ file, side, use }) => ({
      src: file,
      sizes: sizes(side),
      type: 'image/png',
      purpose: use === 'maskable' ? 'maskable' : 'any',
    })),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Paths are relative to the root of the site, so that the lines are the same on every page. */
export function htmlText({ shortName, themeColor }: Site): string {
  const tabIcons = iconsFor('tab');
  return [
    element('link', { rel: 'icon', href: `/${ICO_FILE}`, sizes: tabIcons.map(({ side }) => sizes(side)).join(' ') }),
    ...tabIcons.map(({ file, side }) =>
      element('link', { rel: 'icon', type: 'image/png', sizes: sizes(side), href: `/${file}` }),
    ),
    ...iconsFor('apple').map(({ file, side }) =>
      element('link', { rel: 'apple-touch-icon', sizes: sizes(side), href: `/${file}` }),
    ),
    element('link', { rel: 'manifest', href: `/${MANIFEST_FILE}` }),
    element('meta', { name: 'theme-color', content: themeColor }),
    element('meta', { name: 'apple-mobile-web-app-title', content: shortName }),
  ].join('');
}
