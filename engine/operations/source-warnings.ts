/** Warnings about what a result lacks of its source, the same for all operations. */
import type { Header } from '../../codecs/decoded-image.ts';
import type { Warning } from '../result.ts';

interface UsedSource {
  header: Header;
  /** The page that the request names. */
  page: number | undefined;
  /** Whether the result has all frames of an animation. */
  animation?: boolean;
  /** Whether the result has all pages. */
  allPages?: boolean;
  /** Whether the colours were converted to sRGB. */
  converted: boolean;
  /** Bits per sample of the result; undefined if the result has none of the source's samples. */
  depth: number | undefined;
}

export const BYTE_BITS = 8;

export function sourceWarnings({
  header,
  page,
  animation = false,
  allPages = false,
  converted,
  depth,
}: UsedSource): Warning[] {
  const dropsPages = header.pages > 1 && !header.animated && page === undefined && !allPages;
  return [
    ...(header.animated && !animation ? (['animation_flattened'] as const) : []),
    ...(dropsPages ? (['pages_dropped'] as const) : []),
    ...(depth === undefined ? [] : depthWarnings(header, depth)),
    ...(header.preview ? (['preview_used'] as const) : []),
    ...(converted ? (['color_converted'] as const) : []),
  ];
}

/** @param depth bits per sample of the result. All formats hold 8, so files with fewer lose none. */
export const depthWarnings = ({ storedDepth }: Pick<Header, 'storedDepth'>, depth: number): Warning[] =>
  storedDepth > Math.max(depth, BYTE_BITS) ? ['depth_reduced'] : [];
