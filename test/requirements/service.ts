import { chapter } from './requirement.ts';

export const service = chapter('What the service does', {
  'service.one-image-per-request': 'One request carries one image in and returns one image or one answer out.',
  'service.uploads-never-stored': 'Uploaded files are never stored.',
});

export const versioning = chapter('Versioning', {
  'versioning.path-prefix': 'The REST interface is versioned in the path prefix /api/v1.',
  'versioning.openapi':
    'The machine-readable description is OpenAPI 3.1, interface version 1.0.0, downloadable as a JSON document.',
  'versioning.mcp-contract': 'Every result of an MCP website tool carries contract_version 1.',
});
