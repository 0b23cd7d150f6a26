import { Counter, Gauge, type Registry } from 'prom-client';
import { CACHE_STATES } from './delivery.ts';
import type { DeliveryMetrics } from './open.ts';

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
  return {
    imageDelivered: (result) => requests.inc({ result }),
    watchCache(read) {
      const names = {
        images: ['ic_delivery_cache_images', 'Images in the delivery cache'],
        bytes: ['ic_delivery_cache_bytes', 'Bytes of the images in the delivery cache'],
        evictions: [
          'ic_delivery_cache_evictions',
          'Images removed from the delivery cache to make room, since the start',
        ],
      } as const;
      for (const [fact, [name, help]] of Object.entries(names))
        new Gauge({
          ...{ name, help, registers },
          collect() {
            this.set(read()[fact as keyof typeof names]);
          },
        });
    },
  };
}
