import type { OperationDefinition, OperationInput, ZipResult } from '../definition.ts';
import { type FaviconParams, faviconParams } from './params.ts';

export type FaviconInput = OperationInput<FaviconParams>;

export const favicon: OperationDefinition<'favicon', typeof faviconParams, FaviconInput, ZipResult> = {
  name: 'favicon',
  title: 'Favicon',
  hint: 'All icon files of a website in one ZIP.',
  summary: 'Build a ZIP of favicon files, a web manifest and the lines for the page head',
  description:
    'The ZIP contains favicon.ico (16, 32 and 48 pixels), PNG icons of 16, 32, 48, 180 (Apple), 192 and 512 pixels, a maskable one of 512, site.webmanifest and favicon.html. Its files are meant for the root of a site. The image fills every icon: it is centred and never cropped, an image smaller than an icon is enlarged, and an SVG is rendered at each size. The Apple icon and the maskable icon have the background; on the maskable icon, the visible part of the image lies within the circle of 80% of the side that every launcher shows. An image whose longer side is under 512 pixels causes the warning source_small.',
  params: faviconParams,
  groups: [
    { title: 'Settings', isOpen: true, parameters: ['name', 'short_name', 'theme_color', 'background', 'padding'] },
  ],
  output: {
    kind: 'zip',
    filename: 'favicon.zip',
    exampleFiles: ['favicon.ico', 'favicon-16x16.png'],
    schemaId: 'StoredFaviconPack',
  },
  errors: [],
  meter: 'requests',
  estimate: { baseMs: 100, megapixelMs: 40 },
  commandExamples: ['logo.svg -o favicon.zip'],
};
