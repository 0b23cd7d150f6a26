import { chapter } from './requirement.ts';

export const upscale = chapter('POST /api/v1/upscale', {
  'upscale.endpoint': 'POST /api/v1/upscale doubles width and height.',
  'upscale.output-json': 'output=json answers upscale with a stored result.',
  'upscale.scale': 'scale is only 2, which is the default.',
  'upscale.format': 'format is auto, jpeg, png, webp, avif, gif or tiff; default auto.',
});
