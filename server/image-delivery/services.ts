/** What the delivery of images by address uses. */
import type { Rates } from '../account/rates.ts';
import type { PipelineServices } from '../pipelines/services.ts';
import type { CheckedAddresses } from './checked-addresses.ts';
import type { ImageDelivery } from './delivery.ts';

/** What an image is made with. */
export interface MakingServices extends PipelineServices {
  rates: Rates;
}

export interface ImageDeliveryServices {
  imageAddresses: CheckedAddresses;
  imageDelivery: ImageDelivery;
  /** The current time in milliseconds. */
  now: () => number;
}
