import { idPhotoParams } from '../../engine/operations/id-photo/params.ts';
import { declared } from './declared.ts';
import { chapter } from './requirement.ts';

const of = declared(idPhotoParams);

export const idPhotoPresets = chapter('GET /api/v1/id-photo', {
  'id-photo.presets': 'GET /api/v1/id-photo lists the size presets.',
  'id-photo.presets.no-key': 'GET /api/v1/id-photo needs no key.',
  'id-photo.presets.source': 'Each preset carries the official page it was read from and the day it was read.',
});

export const idPhoto = chapter('POST /api/v1/id-photo', {
  'id-photo.endpoint': 'POST /api/v1/id-photo makes a photo of exact pixel size.',
  'id-photo.output-json': 'output=json answers id-photo with a stored result.',
  'id-photo.shape': "The image is cropped to the photo's shape.",
  'id-photo.quality-only': 'The file is brought inside the size range by quality alone; the pixel size never changes.',
  'id-photo.preset': 'preset is a size from the list.',
  'id-photo.preset.overridden': 'Other parameters override the preset.',
  'id-photo.millimetres': 'width_mm and height_mm are used together.',
  'id-photo.millimetres.bounds': `${of.range('width_mm', 'height_mm')}.`,
  'id-photo.pixels': 'width and height are the size in pixels.',
  'id-photo.pixels.not-with-millimetres': 'width and height do not go together with millimetres.',
  'id-photo.pixels.bounds': `${of.range('width', 'height')}.`,
  'id-photo.dpi': `dpi turns millimetres into pixels and is recorded in the file; ${of.default('dpi')}.`,
  'id-photo.dpi.bounds': `${of.range('dpi')}.`,
  'id-photo.crop': 'crop=x,y,width,height is a part of the image as displayed.',
  'id-photo.crop.default': "crop is the largest centred crop of the photo's shape when it is not given.",
  'id-photo.align': 'align=face turns and crops the image so that the head has the size and place of the photo.',
  'id-photo.align.ai': 'id-photo with align=face counts as an AI request.',
  'id-photo.format': 'format is jpeg or png; default jpeg.',
  'id-photo.min-bytes': 'The file is padded up to min_bytes.',
  'id-photo.min-bytes.bounds': `${of.range('min_bytes')}.`,
  'id-photo.max-bytes': 'The file is compressed to at most max_bytes.',
  'id-photo.max-bytes.bounds': `${of.range('max_bytes')}.`,
  'id-photo.max-bytes.unreachable': 'When the file cannot be made small enough, X-IC-Outcome is unreachable.',
  'id-photo.background': 'background is painted behind transparent pixels; default #ffffff.',
  'id-photo.remove-background': 'remove_background=true paints the background behind the person; default false.',
  'id-photo.remove-background.ai': 'id-photo with remove_background counts as an AI request.',
  'id-photo.sheet': 'sheet=true returns a 4 x 6 inch (10 x 15 cm) sheet of copies with 2 mm gaps; default false.',
});
