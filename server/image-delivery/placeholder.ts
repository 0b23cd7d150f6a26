/** The image that takes the place of one that could not be made. */
import type { Context } from '../http/context.ts';
import type { ImageParams } from './options.ts';

/** The size where the address gives none. */
const DEFAULT_SIDE = 300;
const COLOUR = '#d0d0d0';

/** Replaces the body of an error by a grey area of the requested size. The status stays. */
export function sendPlaceholder(ctx: Context, params: Pick<ImageParams, 'width' | 'height' | 'dpr'> | undefined): void {
  const { dpr = 1, width = params?.height ?? DEFAULT_SIDE, height = width } = params ?? {};
  const [across, down] = [Math.round(width * dpr), Math.round(height * dpr)];
  ctx.type = 'image/svg+xml';
  ctx.body = `<svg xmlns="http://www.w3.org/2000/svg" width="${across}" height="${down}"><rect width="100%" height="100%" fill="${COLOUR}"/></svg>`;
}
