import { faviconParams } from '../../engine/operations/favicon/params.ts';
import { declared } from './declared.ts';
import { chapter } from './requirement.ts';

const of = declared(faviconParams);

export const favicon = chapter('POST /api/v1/favicon', {
  'favicon.endpoint': 'POST /api/v1/favicon answers with a ZIP (application/zip).',
  'favicon.name': "name is the site's name for the manifest; default My site.",
  'favicon.name.length': `${of.length('name')}.`,
  'favicon.short-name': 'short_name is the short name for the manifest; default the name.',
  'favicon.short-name.length': `${of.length('short_name')}.`,
  'favicon.theme-color': 'theme_color has the form #rrggbb; default #ffffff.',
  'favicon.background': 'background has the form #rrggbb; default #ffffff.',
  'favicon.padding': `padding is the percent of the icon side kept clear; ${of.default('padding')}.`,
  'favicon.padding.bounds': `${of.range('padding')}.`,
});

export const faviconPack = chapter('Favicon pack', {
  'favicon.pack.ico': 'The pack holds favicon.ico with images of 16, 32 and 48 pixels.',
  'favicon.pack.png': 'The pack holds PNG icons of 16, 32, 48, 180 (Apple), 192 and 512 pixels.',
  'favicon.pack.maskable': 'The pack holds one maskable 512-pixel icon.',
  'favicon.pack.manifest': 'The pack holds site.webmanifest.',
  'favicon.pack.html': 'The pack holds favicon.html with the lines for the page head.',
  'favicon.pack.centred': 'A non-square image is centred, never cropped.',
  'favicon.pack.opaque': 'Apple and maskable icons are not see-through: the background colour is painted.',
  'favicon.output-json': 'output=json answers favicon with url, expires_at, bytes, files, warnings and duration_ms.',
  'favicon.source-small': 'X-IC-Warnings is source_small when the image is under 512 pixels.',
});
