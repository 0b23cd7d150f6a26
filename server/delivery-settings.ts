/** The settings of images by address. */
import { bytes, declare, folders, integer, integers, isHostPattern, list, optional, text } from './setting-types.ts';

const GIB = 2 ** 30;

export const DELIVERY_SETTINGS = {
  sources: declare({
    ...folders,
    env: 'IC_SOURCES',
    default: new Map<string, string>() as ReadonlyMap<string, string>,
    defaultText: '',
    meaning: 'Folders whose files may be sources of image addresses, as NAME=PATH; comma-separated.',
  }),
  deliveryHosts: declare({
    ...list('hosts like images.example.com or *.example.com', 'a host like images.example.com', isHostPattern),
    env: 'IC_DELIVERY_HOSTS',
    default: Object.freeze([]),
    defaultText: 'every public host, for signed addresses',
    meaning: 'Hosts whose images may be sources of image addresses; comma-separated.',
  }),
  deliverySizes: declare({
    ...integers(1, 100_000),
    env: 'IC_DELIVERY_SIZES',
    default: Object.freeze([]),
    defaultText: 'every size, for signed addresses',
    meaning: 'Widths and heights that image addresses may ask for, in pixels; comma-separated.',
  }),
  deliveryMaxSide: declare({
    ...integer(1, 100_000),
    env: 'IC_DELIVERY_MAX_SIDE',
    default: 10_000,
    meaning: 'Largest width and height that image addresses may ask for, in pixels.',
  }),
  deliveryUnsignedKey: declare({
    ...optional(text),
    env: 'IC_DELIVERY_UNSIGNED_KEY',
    default: undefined,
    meaning: 'Id of the key that image addresses without a signature count against. Without it there are none.',
  }),
  deliveryFreshSeconds: declare({
    ...integer(1, 31_536_000),
    env: 'IC_DELIVERY_FRESH_S',
    default: 2_592_000,
    meaning: 'Seconds after which an image is made from its source again.',
  }),
  deliveryCacheBytes: declare({
    ...bytes(0, 1024 * 1024 * GIB),
    env: 'IC_DELIVERY_CACHE_BYTES',
    default: 2 * GIB,
    meaning: 'Bytes of the images made for addresses; those not used for the longest time are removed first.',
  }),
};
