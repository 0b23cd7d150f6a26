import { chapter } from './requirement.ts';

export const limits = chapter('Limits', {
  'limits.requests-month.free': 'A free account has 1,000 requests per month.',
  'limits.requests-month.pro': 'A Pro account has 20,000 requests per month.',
  'limits.ai-month.free': 'A free account has 100 AI requests per month.',
  'limits.ai-month.pro': 'A Pro account has 2,000 AI requests per month.',
  'limits.requests-minute.free': 'A free account has 120 requests per minute.',
  'limits.requests-minute.pro': 'A Pro account has 600 requests per minute.',
  'limits.file-size.free': 'A free account may send files of up to 20 MB.',
  'limits.file-size.pro': 'A Pro account may send files of up to 200 MB.',
  'limits.upscale-input.free': 'A free account may upscale images of up to 1 megapixel.',
  'limits.upscale-input.pro': 'A Pro account may upscale images of up to 2.25 megapixels.',
  'limits.optimize-pages.free': 'A website optimizer scan of a free account covers 5 pages.',
  'limits.optimize-pages.pro': 'A website optimizer scan of a Pro account covers 50 pages.',
  'limits.credit.one-per-request': 'One request is one credit whatever options it uses.',
  'limits.credit.site-images': 'The website optimizer counts one request per image it converts.',
  'limits.credit.ai-only':
    'Background removal, upscaling and OCR are AI requests and count against the AI allowance only.',
  'limits.credit.pipeline-model': 'A pipeline that runs a model counts as one request of each kind.',
  'limits.test-key.no-quota': 'Test keys never use quota.',
  'limits.test-key.file-size': 'Test keys accept files up to 1 MB.',
  'limits.test-key.per-day': 'Test keys allow 50 requests a day.',
  'limits.key-monthly': "A live key's own monthly limit, set when the key is created, caps that key's use.",
  'limits.notice.80-percent': 'The account owner is told by email once when 80% of a monthly quota is used.',
  'limits.notice.used-up': 'The account owner is told by email once when a monthly quota is used up.',
});
