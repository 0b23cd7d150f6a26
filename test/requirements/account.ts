import { chapter } from './requirement.ts';

export const account = chapter('Account and discovery', {
  'formats.endpoint': 'GET /api/v1/formats lists the formats the service reads and writes.',
  'usage.month': "GET /api/v1/usage reports this month's usage.",
  'usage.limits': "GET /api/v1/usage reports the caller's limits.",
});
