/** What the operator allows addresses to ask for. */
import { invalidParameter } from '../../base/failure.ts';
import { DEFAULT_DPI, printPixels } from '../../engine/steps/print.ts';
import type { Config } from '../config.ts';
import { sourceNotAllowed, unsignedNotAllowed } from './errors.ts';
import type { DeliveryOptions, ImageParams } from './options.ts';
import { type ImageSource, isListedHost } from './source.ts';

export type DeliveryLimits = Pick<Config, 'sources' | 'deliveryHosts' | 'deliverySizes' | 'deliveryMaxSide'>;

const SIZES = ['width', 'height', 'max_width', 'max_height'] as const satisfies readonly (keyof ImageParams)[];
/** Other options that determine the size. */
const OTHER_SIZES: readonly string[] = ['percent', 'print_width', 'print_height'];
/** Pixel ratios of screens, where the sizes are limited. */
const RATIOS: readonly number[] = [1, 1.5, 2, 3];

/** Options of an address without a signature. Anybody can combine them, so few have many values. */
const UNSIGNED_OPTIONS: ReadonlySet<string> = new Set([
  ...SIZES,
  ...['dpr', 'fit', 'format', 'mode', 'pipeline', 'errors'],
]);

/**
 * Checks an address against the settings.
 * @throws Failure 400 `url_not_allowed` or `invalid_parameter`
 */
export function checkAllowed(
  { params, given }: DeliveryOptions,
  source: ImageSource,
  { sources, deliveryHosts, deliverySizes, deliveryMaxSide }: DeliveryLimits,
): void {
  if (source.kind === 'store' && !sources.has(source.name)) throw sourceNotAllowed(source.name);
  if (source.kind === 'url' && deliveryHosts.length > 0 && !isListedHost(source.host, deliveryHosts))
    throw sourceNotAllowed(source.host);
  if (!params) return;
  for (const name of SIZES) {
    const size = params[name];
    if (size !== undefined && size * params.dpr > deliveryMaxSide)
      throw invalidParameter(`at most ${deliveryMaxSide} with dpr`, name, size);
  }
  const print = printPixels(params, params.dpi ?? DEFAULT_DPI);
  for (const side of ['width', 'height'] as const)
    if ((print[side] ?? 0) > deliveryMaxSide)
      throw invalidParameter(`at most ${deliveryMaxSide} pixels at dpi`, `print_${side}`, params[`print_${side}`]);
  if ((params.percent ?? 0) > 100) throw invalidParameter('at most 100', 'percent', params.percent);
  if (deliverySizes.length === 0) return;
  const allowed = `one of ${deliverySizes.join(', ')}`;
  for (const name of SIZES) {
    const size = params[name];
    if (size !== undefined && !deliverySizes.includes(size)) throw invalidParameter(allowed, name, size);
  }
  for (const name of OTHER_SIZES)
    if (given.has(name)) throw invalidParameter('width and height instead of it', name, 'a value');
  if (!RATIOS.includes(params.dpr)) throw invalidParameter(`one of ${RATIOS.join(', ')}`, 'dpr', params.dpr);
}

/**
 * Checks an address that has no signature.
 * @throws Failure 403 `invalid_signature`
 */
export function checkUnsigned(
  { given, params }: DeliveryOptions,
  source: ImageSource,
  { deliveryHosts, deliverySizes }: DeliveryLimits,
): void {
  if (source.kind === 'url' && deliveryHosts.length === 0) throw unsignedNotAllowed(source.host);
  const other = [...given].find((name) => !UNSIGNED_OPTIONS.has(name));
  if (other !== undefined) throw unsignedNotAllowed(other);
  const size = SIZES.find((name) => given.has(name));
  if (size !== undefined && deliverySizes.length === 0) throw unsignedNotAllowed(size);
  if (params && !RATIOS.includes(params.dpr)) throw unsignedNotAllowed('dpr');
}
