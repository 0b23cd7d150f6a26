import { blurFacesParams } from '../../engine/operations/blur-faces/params.ts';
import { declared } from './declared.ts';
import { chapter } from './requirement.ts';

const of = declared(blurFacesParams);

export const blurFaces = chapter('POST /api/v1/blur-faces', {
  'blur-faces.endpoint': 'POST /api/v1/blur-faces covers an ellipse a little larger than each box.',
  'blur-faces.output-json': 'output=json answers blur-faces with a stored result.',
  'blur-faces.effect.blur': 'effect=blur, the default, blurs.',
  'blur-faces.effect.pixelate': 'effect=pixelate pixelates.',
  'blur-faces.effect.values': 'effect is blur or pixelate.',
  'blur-faces.strength': `strength is blur radius or pixel block size, relative to each face; ${of.default('strength')}.`,
  'blur-faces.strength.bounds': `${of.range('strength')}.`,
  'blur-faces.boxes': 'With boxes only those areas are covered and no model runs.',
  'blur-faces.boxes.form': 'boxes holds x,y,width,height entries separated by a semicolon.',
  'blur-faces.boxes.absent': 'Without boxes every detected face is covered and the request counts as an AI request.',
  'blur-faces.boxes.empty': 'An empty boxes covers nothing.',
  'blur-faces.format': 'format is auto, jpeg, png, webp, avif or tiff; default auto.',
  'blur-faces.format.auto': 'format=auto keeps the input format where it is allowed, else JPEG; quality 92.',
});
