import { premultiplied } from '../../codecs/colour.ts';
import type { Image } from '../../codecs/vips.ts';
import { emptyPaint, placeOnCanvas } from './canvas.ts';
import { cropCentre } from './crop.ts';
import type { Size, StepContext } from './step.ts';

export interface ResizeParams {
  width?: number | undefined;
  height?: number | undefined;
  percent?: number | undefined;
  fit: 'inside' | 'exact' | 'cover' | 'contain';
  enlarge: boolean;
  max_width?: number | undefined;
  max_height?: number | undefined;
}

/** A planned resize: scale the image to `scaled` pixels, then crop it or, after the adjustments, pad it to `canvas`. */
export interface ResizePlan {
  /** Exact factors, before rounding to pixels. Equal in both directions unless the image is stretched. */
  factors: { horizontal: number; vertical: number };
  scaled: Size;
  canvas: Size;
}

const atLeastOne = (pixels: number) => Math.max(1, Math.round(pixels));

function planFit(source: Size, params: ResizeParams): ResizePlan {
  const { width, height, percent, fit, enlarge } = params;
  const stretched = (horizontal: number, vertical: number): ResizePlan => {
    const cap = (factor: number) => (enlarge ? factor : Math.min(1, factor));
    const factors = { horizontal: cap(horizontal), vertical: cap(vertical) };
    const scaled = {
      width: atLeastOne(source.width * factors.horizontal),
      height: atLeastOne(source.height * factors.vertical),
    };
    return { factors, scaled, canvas: scaled };
  };
  const uniform = (factor: number) => stretched(factor, factor);

  if (width === undefined && height === undefined) return uniform(percent === undefined ? 1 : percent / 100);
  // If only one side is given, the other keeps the aspect ratio, whatever the fit.
  if (width === undefined) return uniform((height as number) / source.height);
  if (height === undefined) return uniform(width / source.width);
  const horizontal = width / source.width;
  const vertical = height / source.height;
  switch (fit) {
    case 'inside':
      return uniform(Math.min(horizontal, vertical));
    case 'exact':
      return stretched(horizontal, vertical);
    case 'cover': {
      const plan = uniform(Math.max(horizontal, vertical));
      const { scaled } = plan;
      return { ...plan, canvas: { width: Math.min(width, scaled.width), height: Math.min(height, scaled.height) } };
    }
    case 'contain':
      return { ...uniform(Math.min(horizontal, vertical)), canvas: { width, height } };
  }
}

/** Fits a plan into max_width and max_height by scaling image and canvas equally. */
function fitInside(plan: ResizePlan, maxWidth = Infinity, maxHeight = Infinity): ResizePlan {
  const { factors, scaled, canvas } = plan;
  const factor = Math.min(maxWidth / canvas.width, maxHeight / canvas.height);
  if (factor >= 1) return plan;
  const shrink = ({ width, height }: Size) => ({
    width: atLeastOne(width * factor),
    height: atLeastOne(height * factor),
  });
  return {
    factors: { horizontal: factors.horizontal * factor, vertical: factors.vertical * factor },
    scaled: shrink(scaled),
    canvas: shrink(canvas),
  };
}

/** Plans a resize without pixels, so that a dry run and the decoder's shrink-on-load know the size beforehand. */
export function planResize(source: Size, params: ResizeParams): ResizePlan {
  return fitInside(planFit(source, params), params.max_width, params.max_height);
}

/**
 * Scales and crops as planned: Lanczos3 on the image's own samples, premultiplied.
 * @param source the size that the plan was made for; `image` may be smaller if its decoder has shrunk it
 */
export function resize(image: Image, source: Size, { factors, scaled, canvas }: ResizePlan): Image {
  const sized = scaleTo(image, scaled, {
    horizontal: (factors.horizontal * source.width) / image.width,
    vertical: (factors.vertical * source.height) / image.height,
  });
  const covered = canvas.width < scaled.width || canvas.height < scaled.height;
  return covered ? cropCentre(sized, canvas) : sized;
}

/** Pads an image to the canvas of its plan, centred. */
export function pad(image: Image, { canvas }: ResizePlan, context: StepContext): Image {
  if (canvas.width <= image.width && canvas.height <= image.height) return image;
  const left = Math.floor((canvas.width - image.width) / 2);
  const top = Math.floor((canvas.height - image.height) / 2);
  return placeOnCanvas(image, canvas, left, top, emptyPaint(context));
}

function scaleTo(image: Image, { width, height }: Size, { horizontal, vertical }: ResizePlan['factors']): Image {
  if (width === image.width && height === image.height) return image;
  return premultiplied(image, (picture) => {
    const sized = picture.resize(horizontal, { vscale: vertical, kernel: 'lanczos3' });
    if (sized.width === width && sized.height === height) return sized;
    // libvips has rounded a side the other way. Use the planned size.
    return picture.resize(width / picture.width, { vscale: height / picture.height, kernel: 'lanczos3' });
  });
}
