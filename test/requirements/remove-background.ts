import { removeBackgroundParams } from '../../engine/operations/remove-background/params.ts';
import { declared } from './declared.ts';
import { chapter } from './requirement.ts';

const of = declared(removeBackgroundParams);

export const removeBackground = chapter('POST /api/v1/remove-background', {
  'remove-background.endpoint': 'POST /api/v1/remove-background cuts the subject out of a photo.',
  'remove-background.output-json': 'output=json answers remove-background with a stored result.',
  'remove-background.background.transparent': 'background=transparent, the default, leaves the subject on nothing.',
  'remove-background.background.colour': 'background=#rrggbb paints this colour behind the subject.',
  'remove-background.background.gradient':
    'background=gradient paints from gradient_from at the top to gradient_to at the bottom.',
  'remove-background.background.blur': "background=blur keeps the photo's own background, blurred.",
  'remove-background.background.image':
    'background=image paints the multipart part background_image behind the subject.',
  'remove-background.background.values': 'background is transparent, #rrggbb, gradient, blur or image.',
  'remove-background.gradient.form': 'gradient_from and gradient_to have the form #rrggbb.',
  'remove-background.blur': `blur is how much background=blur blurs; ${of.default('blur')}.`,
  'remove-background.blur.bounds': `${of.range('blur')}.`,
  'remove-background.feather': `feather is the softness of the edge; ${of.default('feather')}.`,
  'remove-background.feather.bounds': `${of.range('feather')}.`,
  'remove-background.refine': "refine=true pulls the mask onto the photo's own edges; default false.",
  'remove-background.frame': 'frame=WxH centres the subject on a canvas of this size.',
  'remove-background.subject-fill': `subject_fill is the share of the frame that the subject takes; ${of.default('subject_fill')}.`,
  'remove-background.subject-fill.bounds': `${of.range('subject_fill')}.`,
  'remove-background.format': 'format is png, webp or jpeg; default png.',
  'remove-background.format.jpeg': 'format=jpeg needs a non-transparent background.',
  'remove-background.mask':
    'mask=true returns the mask instead of the cut-out: a greyscale PNG of at most 1024 pixels, white is subject.',
  'remove-background.mask.sent': "A mask sent as multipart part mask next to image is used in place of the model's.",
});
