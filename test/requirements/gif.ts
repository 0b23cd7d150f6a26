import { gifParams } from '../../engine/operations/gif/params.ts';
import { declared } from './declared.ts';
import { chapter } from './requirement.ts';

const of = declared(gifParams);

export const gif = chapter('POST /api/v1/gif', {
  'gif.endpoint': 'POST /api/v1/gif edits an animated GIF.',
  'gif.reads-webp': 'gif also reads animated WebP.',
  'gif.output-json': 'output=json answers gif with a stored result.',
  'gif.order': 'Order: trim, keep every Nth frame, reverse, speed, crop, resize, encode.',
  'gif.frames-composed': 'Frames are composed first.',
  'gif.crop': 'crop=x,y,width,height is applied to every frame.',
  'gif.width': 'width resizes, keeping the shape.',
  'gif.width.never-enlarges': 'width never enlarges.',
  'gif.width.bounds': `${of.range('width')}.`,
  'gif.trim-start': 'trim_start is the seconds cut from the start.',
  'gif.trim-end': 'trim_end is where the animation ends, in seconds from the start.',
  'gif.trim.bounds': 'trim_start and trim_end are numbers of at least 0.',
  'gif.speed': `speed is a percentage; ${of.default('speed')}.`,
  'gif.speed.shortest-frame': 'No frame is shown for less than 20 ms.',
  'gif.speed.bounds': `${of.range('speed')}.`,
  'gif.reverse': 'reverse=true plays the animation backwards; default false.',
  'gif.every': "every keeps every Nth frame; dropped frames' time goes to the kept one; default 1.",
  'gif.every.bounds': `${of.range('every')}.`,
  'gif.colours': `colours is the palette size of GIF output; ${of.default('colours')}.`,
  'gif.colours.bounds': `${of.range('colours')}.`,
  'gif.loop': 'loop is the repeat count; 0 is for ever.',
  'gif.loop.default': "loop is the upload's when it is not given.",
  'gif.loop.bounds': `${of.range('loop')}.`,
  'gif.lossy': `lossy is how far pixels of GIF output may differ, as gifsicle does it; ${of.default('lossy')}.`,
  'gif.lossy.bounds': `${of.range('lossy')}.`,
  'gif.quality': `quality is that of WebP output; ${of.default('quality')}.`,
  'gif.quality.bounds': `${of.range('quality')}.`,
  'gif.lossless': 'lossless=true keeps every pixel in WebP output.',
  'gif.format.webp': 'format=webp writes an animated WebP.',
  'gif.format.png': 'format=png writes an animated PNG.',
  'gif.format.avif': 'format=avif writes an animated AVIF.',
  'gif.format.jxl': 'format=jxl writes an animated JPEG XL.',
  'gif.format.values': 'format is gif, webp, png, avif or jxl; default gif.',
});
