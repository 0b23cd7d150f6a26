/** Opens the delivery of images: its cache and what answers its requests. */
import type { Repositories } from '../../storage/ports/database.ts';
import type { FileStore } from '../../storage/ports/file-store.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { ImageCache } from './cache.ts';
import { CheckedAddresses } from './checked-addresses.ts';
import { type CacheState, ImageDelivery } from './delivery.ts';
import type { DeliveryLimits } from './limits.ts';
import type { MakingServices } from './make.ts';
import type { ImageDeliveryServices } from './services.ts';

/** Counts requests, and reads what the cache holds. */
export interface DeliveryMetrics {
  imageDelivered(result: CacheState | 'failed'): void;
  watchCache(read: () => ImageCache['stats']): void;
}

export interface OpenDeliveryOptions {
  services: MakingServices;
  database: Repositories;
  files: FileStore;
  config: DeliveryLimits & Pick<Config, 'deliveryUnsignedKey' | 'deliveryFreshSeconds' | 'deliveryCacheBytes'>;
  metrics: DeliveryMetrics;
  log: Pick<Log, 'error'>;
}

export async function openImageDelivery({
  services,
  database,
  files,
  config,
  metrics,
  log,
}: OpenDeliveryOptions): Promise<Omit<ImageDeliveryServices, 'now'>> {
  const { now } = services;
  const maxBytes = config.deliveryCacheBytes;
  const cache = await ImageCache.open({ records: database.deliveredImages, files, maxBytes, now, log });
  metrics.watchCache(() => cache.stats);
  const imageDelivery = new ImageDelivery({
    ...{ cache, services, now, log },
    folders: config.sources,
    freshSeconds: config.deliveryFreshSeconds,
    onRequest: (result) => metrics.imageDelivered(result),
  });
  return { imageDelivery, imageAddresses: new CheckedAddresses({ database, config, now }) };
}
