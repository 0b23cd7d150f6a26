/** Declares the parameters of `favicon` with their bounds, defaults and descriptions. Main-thread safe. */
import { z } from 'zod';
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
  name: name(60)
    .default('My site')
    .meta({ description: "The site's name for the manifest.", examples: ['Harbour Café'] }),
  short_name: name(30)
    .optional()
    .meta({
      description: 'The name under an icon on a home screen. Default: the name.',
      examples: ['Harbour'],
    }),
  theme_color: colour()
    .default('#ffffff')
    .meta({ description: 'Colour that browsers paint around the site.', examples: ['#0b5fff'] }),
  background: colour()
    .default('#ffffff')
    .meta({
      description: 'Painted behind the Apple and the maskable icon; also the background of the start screen.',
      examples: ['#ffffff'],
    }),
  padding: integer(0, 40)
    .default(0)
    .meta({ description: 'Percent of the icon side that is kept clear along each edge.', examples: [10] }),
});

export type FaviconParams = z.output<typeof faviconParams>;
