/**
 * Effects of a CSS declaration on the size of an image whose attributes give its size. Values that only a browser can
 * compute (percentages, viewport and container units, variables) count as any size.
 */

/**
 * - `width`, `height`, `min-width`, `min-height`: a size in CSS pixels, or null for any.
 * - `auto-height`: the height follows from the width.
 * - `grow`: the element may have any size.
 * - `scale`: the element and its content may be drawn larger.
 * - `stretch`: a side without a size may fill the parent element. Set on the parent or on the image itself.
 * - `animation`: keyframes may change the size.
 */
export type SizingKind =
  | 'width'
  | 'height'
  | 'min-width'
  | 'min-height'
  | 'auto-height'
  | 'grow'
  | 'scale'
  | 'stretch'
  | 'animation';

/** Tuples, because a site has many of them and they are stored as JSON. */
export type SizingEffect = readonly [kind: SizingKind, px: number | null, important: boolean];

type Part = readonly [kind: SizingKind, px?: number | null];

const NOTHING: readonly Part[] = [];
const MAX_VALUE_LENGTH = 1000;

/** Values with the same effect as leaving the property unset. */
const UNSET: ReadonlySet<string> = new Set(['auto', 'none', 'initial', 'unset', 'revert', 'normal']);
const AUTO_HEIGHT: ReadonlySet<string> = new Set([...UNSET, 'fit-content', 'min-content', 'max-content']);

const sides = (kinds: readonly SizingKind[], value: string): Part[] => {
  const px = lengthOf(value);
  return kinds.map((kind) => [kind, px] as const);
};

const minimum = (kinds: readonly SizingKind[]) => (value: string) =>
  UNSET.has(value) || lengthOf(value) === 0 ? NOTHING : sides(kinds, value);

const unless =
  (kind: SizingKind, harmless: RegExp) =>
  (value: string): readonly Part[] =>
    harmless.test(value) ? NOTHING : [[kind, null]];

const when =
  (kind: SizingKind, harmful: RegExp) =>
  (value: string): readonly Part[] =>
    harmful.test(value) ? [[kind, null]] : NOTHING;

const height = (value: string): readonly Part[] =>
  AUTO_HEIGHT.has(value) ? [['auto-height']] : sides(['height'], value);

const stretches = when('stretch', /stretch|fill|var\(/);

/** Effects of a value (in lower case), by property without vendor prefix. Other properties have no effect. */
const PROPERTIES: Readonly<Record<string, (value: string) => readonly Part[]>> = {
  width: (value) => sides(['width'], value),
  // In vertical writing, inline and block sizes are swapped.
  'inline-size': (value) => sides(['width', 'height'], value),
  'block-size': (value) => sides(['width', 'height'], value),
  height,
  'min-width': minimum(['min-width']),
  'min-height': minimum(['min-height']),
  'min-inline-size': minimum(['min-width', 'min-height']),
  'min-block-size': minimum(['min-width', 'min-height']),
  flex: unless('grow', /^(?:none|initial|unset|revert|0 (?:[\d.]+ )?auto)$/),
  'flex-grow': unless('grow', /^(?:0|initial|unset|revert)$/),
  'flex-basis': unless('grow', /^(?:auto|initial|unset|revert)$/),
  'box-flex': unless('grow', /^(?:0|initial|unset|revert)$/),
  'aspect-ratio': unless('grow', /^(?:auto\b|initial$|unset$|revert$)/),
  // Shows the pixels of the file unscaled: with fewer pixels the image looks smaller.
  'object-fit': when('grow', /^none$|var\(/),
  'object-view-box': unless('grow', /^none$/),
  all: () => [['grow']],
  zoom: (value) => (UNSET.has(value) || isNoEnlargement(value) ? NOTHING : [['scale']]),
  scale: (value) => (UNSET.has(value) || value.split(/\s+/).every(isNoEnlargement) ? NOTHING : [['scale']]),
  transform: (value) => (isLargerTransform(value) ? [['scale']] : NOTHING),
  perspective: unless('scale', /^(?:none|initial|unset|revert)$/),
  animation: unless('animation', /^(?:none|initial|unset|revert)$/),
  'animation-name': unless('animation', /^(?:none|initial|unset|revert)$/),
  display: when('stretch', /flex|^-(?:webkit|moz)-(?:inline-)?box$|contents|var\(/),
  'align-items': stretches,
  'align-self': stretches,
  'justify-items': stretches,
  'justify-self': stretches,
  'place-items': stretches,
  'place-self': stretches,
};

const VENDOR_PREFIX = /^-(?:webkit|moz)-/;
const IMPORTANT = /\s*!\s*important\s*$/i;

/**
 * Effects of a declaration.
 * @param property in lower case
 */
export function effectsOf(property: string, text: string): SizingEffect[] {
  const name = property.replace(VENDOR_PREFIX, '');
  if (!Object.hasOwn(PROPERTIES, name)) return [];
  const important = IMPORTANT.test(text);
  const value = text.replace(IMPORTANT, '').trim().toLowerCase();
  if (value === '') return [];
  // No value without effect is this long.
  const parts = PROPERTIES[name]!(value.length > MAX_VALUE_LENGTH ? 'var()' : value);
  return parts.map(([kind, px = null]) => [kind, px, important]);
}

/** CSS pixels; null for values that only a browser can compute. */
function lengthOf(value: string): number | null {
  const [, number] = /^\+?(\d*\.?\d+)px$/.exec(value) ?? [];
  if (number !== undefined) return Number(number);
  return /^[+-]?0*\.?0+$/.test(value) ? 0 : null;
}

/** Whether a value is a number or percentage of at most 1. */
function isNoEnlargement(value: string): boolean {
  const [, number, percent] = /^[+-]?(\d*\.?\d+)(%?)$/.exec(value) ?? [];
  return number !== undefined && Number(number) <= (percent ? 100 : 1);
}

function isLargerTransform(value: string): boolean {
  if (/matrix|perspective|var\(|env\(|attr\(/.test(value)) return true;
  return [...value.matchAll(/scale[xyz3d]*\(([^)]*)\)/g)].some(
    ([, factors]) => !factors!.split(',').every((factor) => isNoEnlargement(factor.trim())),
  );
}
