/** Declares the parameters of `favicon` with their bounds, defaults and descriptions. Main-thread safe. */
import { z } from 'zod';
import { described } from '../../../base/described.ts';
import { colour, integer } from '../parameters.ts';

/** Browsers treat a name of only spaces as no name, and then refuse to install the site. */
const name = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .regex(/\S/)
    .meta({ 'x-form': `text of 1 to ${longest} characters` });

export const faviconParams = z.strictObject({
  name: described(name(60).default('My site'), "The site's name for the manifest.", 'Harbour Café'),
  short_name: described(name(30).optional(), 'The name under an icon on a home screen. Default: the name.', 'Harbour'),
  theme_color: described(colour().default('#ffffff'), 'Colour that browsers paint around the site.', '#0b5fff'),
  background: described(
    colour().default('#ffffff'),
    'Painted behind the Apple and the maskable icon; also the background of the start screen.',
    '#ffffff',
  ),
  padding: described(integer(0, 40).default(0), 'Percent of the icon side that is kept clear along each edge.', 10),
});

export type FaviconParams = z.output<typeof faviconParams>;
