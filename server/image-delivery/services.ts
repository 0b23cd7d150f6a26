/** What the delivery of images by address uses. */
import type { CheckedAddresses } from './checked-addresses.ts';
import type { ImageDelivery } from './delivery.ts';

export interface ImageDeliveryServices {
  imageAddresses: CheckedAddresses;
  imageDelivery: ImageDelivery;
  /** The current time in milliseconds. */
  now: () => number;
}
