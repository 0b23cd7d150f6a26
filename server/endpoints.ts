import { OPERATIONS } from '../engine/operations/registry.ts';
import { adminEndpoints } from './account/admin-endpoints.ts';
import { keyEndpoints } from './account/key-endpoints.ts';
import { usageEndpoint } from './account/usage.ts';
import { consoleEndpoints } from './console/routes.ts';
import { documentationEndpoints } from './docs/documentation-endpoints.ts';
import { packageFileEndpoints } from './docs/routes.ts';
import { fileEndpoints } from './files/files.ts';
import { healthEndpoints } from './health/endpoints.ts';
import type { Endpoint } from './http/endpoint.ts';
import { deliveryCacheEndpoints } from './image-delivery/cache-endpoints.ts';
import { deliverImage } from './image-delivery/endpoint.ts';
import { formatsEndpoint } from './images/formats.ts';
import { idPhotoPresets } from './images/id-photo-presets.ts';
import { operationEndpoint } from './images/operation-endpoint.ts';
import { jobEndpoints } from './jobs/endpoints.ts';
import { jobWebhookEndpoints } from './jobs/webhook-endpoints.ts';
import { mcpEndpoint } from './mcp/endpoint.ts';
import { pipeline } from './pipelines/pipeline.ts';
import { savedPipelineEndpoints } from './pipelines/saved-endpoints.ts';
import type { Services } from './services.ts';
import { assetEndpoints } from './sites/asset-endpoints.ts';
import { botPage } from './sites/bot-page.ts';
import { siteFileEndpoints } from './sites/file-endpoints.ts';
import { localServerEndpoint } from './sites/local-server.ts';
import { optimizeEndpoints } from './sites/optimize-endpoints.ts';
import { pageEndpoints } from './sites/page-endpoints.ts';
import { scanEndpoints } from './sites/scan-endpoints.ts';
import { tiersEndpoint } from './sites/tiers.ts';
import { webhookEndpoints } from './webhooks/endpoints.ts';

/** The endpoints in the OpenAPI document. */
export const DOCUMENTED: readonly Endpoint<Services>[] = [
  ...OPERATIONS.map(operationEndpoint),
  idPhotoPresets,
  pipeline,
  ...savedPipelineEndpoints,
  ...jobEndpoints,
  ...optimizeEndpoints,
  tiersEndpoint,
  ...scanEndpoints,
  ...pageEndpoints,
  ...assetEndpoints,
  ...siteFileEndpoints,
  ...fileEndpoints,
  deliverImage,
  ...deliveryCacheEndpoints,
  formatsEndpoint,
  usageEndpoint,
  ...jobWebhookEndpoints,
  ...webhookEndpoints,
  ...keyEndpoints,
  ...adminEndpoints,
  ...healthEndpoints,
  localServerEndpoint,
];

/** Every endpoint of the service. */
export const ENDPOINTS: readonly Endpoint<Services>[] = [
  ...DOCUMENTED,
  ...packageFileEndpoints,
  ...documentationEndpoints(),
  ...consoleEndpoints,
  botPage,
  mcpEndpoint,
];
