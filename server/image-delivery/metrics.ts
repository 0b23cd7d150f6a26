import { Counter, Gauge, type Registry } from 'prom-client';
import type { ImageCache } from './cache.ts';
import { CACHE_STATES } from './delivery.ts';
import type { DeliveryMetrics } from './open.ts';

/** The gauges of the cache, by what they read. */
const CACHE_GAUGES: Readonly<Record<keyof ImageCache['stats'], readonly [name: string, help: string]>> = {
  images: ['ic_delivery_cache_images', 'Images in the delivery cache'],
  bytes: ['ic_delivery_cache_bytes', 'Bytes of the images in the delivery cache'],
  evictions: ['ic_delivery_cache_evictions', 'Images removed from the delivery cache to make room, since the start'],
};

/** Metrics of delivered images. */
export function createDeliveryMetrics(registry: Registry): DeliveryMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: 'ic_delivery_requests_total',
    help: 'Requests for images by address, by what the cache had',
    labelNames: ['result'],
    registers,
  });
  for (const result of [...CACHE_STATES, 'failed']) requests.inc({ result }, 0);
  let readStats: (() => ImageCache['stats']) | undefined;
  for (const [fact, [name, help]] of Object.entries(CACHE_GAUGES))
    new Gauge({
      ...{ name, help, registers },
      collect() {
        const stats = readStats?.();
        if (stats) this.set(stats[fact as keyof typeof stats]);
      },
    });
  return {
    imageDelivered: (result) => requests.inc({ result }),
    watchCache(read) {
      readStats = read;
    },
  };
}
