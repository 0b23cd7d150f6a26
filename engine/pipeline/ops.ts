/**
 * The operations of steps, with their parameters (docs/spec/shapes.md, section 9.2). Each parameter is picked from the
 * declaration of the single operation, so that bounds and defaults are declared once. Main-thread safe.
 */
import { z } from 'zod';
import { blurFacesParams } from '../operations/blur-faces/params.ts';
import { compressParams } from '../operations/compress/params.ts';
import { gifParams } from '../operations/gif/params.ts';
import { idPhotoParams } from '../operations/id-photo/params.ts';
import { removeBackgroundParams } from '../operations/remove-background/params.ts';
import { upscaleParams } from '../operations/upscale/params.ts';

/**
 * Colour of new area. Without it, new area is transparent if the result can be, otherwise it has the background of its
 * encoding.
 */
const background = compressParams.shape.background.unwrap().optional();

export const STEP_PARAMS = {
  orient: z.strictObject({}),
  crop: compressParams.pick({ crop: true, crop_ratio: true, crop_gravity: true, crop_shape: true }),
  flip: compressParams.pick({ flip: true }),
  rotate: compressParams.pick({ rotate: true }).extend({ background }),
  resize: compressParams
    .pick({
      width: true,
      height: true,
      percent: true,
      fit: true,
      enlarge: true,
      max_width: true,
      max_height: true,
      print_width: true,
      print_height: true,
      dpi: true,
    })
    .extend({ background }),
  pad: z.strictObject({
    width: compressParams.shape.width.unwrap(),
    height: compressParams.shape.height.unwrap(),
    background,
  }),
  adjust: compressParams.pick({
    brightness: true,
    contrast: true,
    saturation: true,
    exposure: true,
    grayscale: true,
    blur: true,
    enhance: true,
    sharpen: true,
    denoise: true,
  }),
  border: compressParams.pick({ border: true, border_color: true }),
  watermark: compressParams
    .pick({
      watermark_text: true,
      watermark_color: true,
      watermark_opacity: true,
      watermark_size: true,
      watermark_position: true,
    })
    .extend({
      logo: z
        .boolean()
        .default(false)
        .meta({ description: 'Draw the image watermark_image.', examples: [true] }),
    }),
  remove_background: removeBackgroundParams.omit({ format: true, mask: true }).extend({
    // A step has no form part for an image of its own.
    background: z
      .string()
      .regex(/^(#?[0-9a-fA-F]{6}|transparent|gradient|blur)$/)
      .optional()
      .meta({
        ...removeBackgroundParams.shape.background.meta(),
        'x-form': 'transparent, a colour as #rrggbb, gradient or blur',
        description:
          'What stands behind the subject: nothing, a colour, a gradient or the original background, blurred.',
      }),
  }),
  upscale: upscaleParams.pick({ scale: true }),
  blur_faces: blurFacesParams.pick({ effect: true, strength: true, boxes: true }),
  id_photo: idPhotoParams,
  gif: gifParams,
  metadata: compressParams.pick({ metadata: true }),
  convert: compressParams.pick({ quality: true, mode: true }).extend({ format: compressParams.shape.format.unwrap() }),
  compress: compressParams
    .pick({
      format: true,
      mode: true,
      quality: true,
      target_bytes: true,
      min_bytes: true,
      background: true,
      dpi: true,
      score: true,
      fingerprint: true,
    })
    // Without it, the mode of a `metadata` step is used.
    .extend({
      metadata: compressParams.shape.metadata
        .unwrap()
        .optional()
        .meta({ ...compressParams.shape.metadata.meta() }),
    }),
} as const satisfies Record<string, z.ZodObject>;

export type StepOp = keyof typeof STEP_PARAMS;
export type StepParams<O extends StepOp> = z.output<(typeof STEP_PARAMS)[O]>;

/** Steps that determine how the result is written. They come last, and the first whose condition holds is used. */
export const ENCODING_OPS = ['convert', 'compress', 'id_photo'] as const satisfies readonly StepOp[];
