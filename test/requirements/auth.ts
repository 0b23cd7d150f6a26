import { chapter } from './requirement.ts';

export const authentication = chapter('Authentication', {
  'auth.bearer': 'Requests carry an API key in the header Authorization: Bearer <API_KEY>.',
  'auth.required': 'Every endpoint needs a key, except GET /api/v1/id-photo.',
  'auth.live-prefix': 'Live keys start with ic_live_.',
  'auth.test-prefix': 'Test keys start with ic_test_.',
  'auth.scope.ai':
    'The AI operations (remove-background, upscale, faces, blur-faces without boxes, ocr, id-photo with remove_background) need a key with the ai scope.',
  'auth.scope.sites': 'The hosted website MCP tools need a key with the permission sites.',
  'auth.pro.pipelines':
    'Pipelines and saved pipelines on a free account are answered with upgrade_required, status 403.',
  'auth.pro.jobs': 'Jobs on a free account are answered with upgrade_required, status 403.',
  'auth.pro.background-image': 'background=image on a free account is answered with upgrade_required, status 403.',
  'auth.pro.watermark-image': 'watermark_image on a free account is answered with upgrade_required, status 403.',
});
