/**
 * Building blocks of parameter declarations. A declaration contains only typed values; query strings are converted in
 * one place (base/parameter-decoder.ts). Patterns have no flags, because JSON Schema would drop them.
 */
import { z } from 'zod';
import { described } from '../../base/described.ts';
import { OUTPUT_FORMATS, OUTPUTS } from '../../codecs/formats/registry.ts';

export const integer = (min: number, max: number) => z.int().min(min).max(max);
export const number = (min: number, max: number) => z.number().min(min).max(max);

/** A side of an image in pixels. */
export const side = () => integer(1, 100_000);

/** `#rrggbb`. The `#` is optional, because a query must encode it as %23. */
const COLOUR_PATTERN = /^#?[0-9a-fA-F]{6}$/;
export const colour = () => z.string().regex(COLOUR_PATTERN).meta({ 'x-form': 'a colour as #rrggbb' });
export const colourOrTransparent = () =>
  z
    .string()
    .regex(/^(#?[0-9a-fA-F]{6}|transparent)$/)
    .meta({ 'x-form': 'a colour as #rrggbb, or transparent' });

/**
 * Colour of new area. Without it, new area is transparent if the result can be, otherwise it has the background of its
 * encoding.
 */
export const newAreaColour = () => colour().optional();

/** Video formats that users ask for where an animation can be written. */
const VIDEO_FORMATS = ['mp4', 'webm'] as const;
const ANIMATED = OUTPUT_FORMATS.filter((format) => OUTPUTS[format].animation !== 'none');
const VIDEO_HINT = `Video is not written. Animations are written as ${ANIMATED.join(' or ')}.`;

/** The format of a result that may be animated. */
export const animatedFormat = <F extends string>(formats: readonly [F, ...F[]]) =>
  z.enum(formats).meta({ 'x-hints': Object.fromEntries(VIDEO_FORMATS.map((format) => [format, VIDEO_HINT])) });

/** `x,y,width,height` in pixels of the image as displayed; for `parseBox`. */
export const box = () =>
  z
    .string()
    .regex(/^[0-9]{1,6},[0-9]{1,6},[1-9][0-9]{0,5},[1-9][0-9]{0,5}$/)
    .meta({ 'x-form': 'x,y,width,height in whole pixels' });

/** `16:9`: two positive numbers; for `parseRatio`. */
export const ratio = () =>
  z
    .string()
    .regex(/^[0-9]{1,5}([.][0-9]{1,4})?:[0-9]{1,5}([.][0-9]{1,4})?$/)
    .meta({ 'x-form': 'a ratio as 16:9' });

/** The part of an image that a cut keeps: `faces`, or a place for `parseFocus`. */
export const focus = () =>
  z
    .string()
    .regex(/^(faces|(0([.][0-9]{1,6})?|1([.]0{1,6})?),(0([.][0-9]{1,6})?|1([.]0{1,6})?))$/)
    .meta({ 'x-form': 'faces, or x,y as fractions of width and height from 0 to 1' });

/** Selects the image inside the file; on every operation that takes one image. */
export const sourceParams = z.strictObject({
  filename: described(
    z.string().max(255).optional(),
    'File name; only its extension is used, to identify formats with no signature of their own. Not needed where the image comes with a name.',
    'scan.tga',
  ),
  page: described(
    // Not a default of the schema: only where no page is requested is a source of several pages a reason to warn.
    integer(1, 100_000).optional().meta({ default: 1 }),
    'Page, frame or plane of a multi-page file. Without it, a TIFF that stays a TIFF and a PDF that stays a PDF keep all pages, and other results use the first.',
    2,
  ),
});
export type SourceParams = z.output<typeof sourceParams>;
