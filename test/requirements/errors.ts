import { chapter } from './requirement.ts';

export const errors = chapter('Errors', {
  'error.object': 'The body of every 4xx and 5xx is a JSON object with error.code and error.message, both strings.',
  'error.unknown-path': 'A path that does not exist is answered with the error object too.',
  'error.wrong-method': 'A method that a path does not have is answered with the error object too.',
  'error.malformed-request': 'A malformed HTTP request or body is answered with the error object too.',
  'error.classes': 'A request that is refused is 4xx; what the server could not do is 5xx.',
  'error.retry-after.429': 'Responses with status 429 carry Retry-After.',
  'error.retry-after.503': 'Responses with status 503 carry Retry-After.',
  'error.file-too-large': "A file over the plan's size limit is refused with file_too_large.",
  'error.upgrade-required': 'A Pro feature on a free account is refused with upgrade_required, status 403.',
});
