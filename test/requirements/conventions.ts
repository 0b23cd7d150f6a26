import { chapter } from './requirement.ts';

export const input = chapter('Common input conventions', {
  'input.raw': 'The body may be raw image bytes of any content type, application/octet-stream too.',
  'input.multipart': 'The body may be multipart/form-data with a file part named image.',
  'input.multipart.image-required': 'A multipart body without the part image is refused.',
  'input.json-url': 'The body may be application/json: an object with url, the address of the image.',
  'input.json-url.required': 'A JSON body without url, or with one that is no address, is refused.',
  'input.required': 'A request without a body is refused.',
  'input.filename': 'Of filename only the extension is used, to identify formats with no signature of their own.',
  'input.filename.not-needed': 'filename is not needed with multipart or with a url: the name comes with the image.',
  'input.page': 'page chooses the page, frame or plane of a multi-page file; default 1.',
  'input.page.bounds': 'page is an integer from 1 to 100000.',
});

export const output = chapter('Common output conventions', {
  'output.binary': 'output=binary, the default, returns the result as the response body.',
  'output.json': 'output=json stores the result and returns a JSON object with a link.',
  'output.json.one-hour': 'A result stored as a link lives one hour and is then deleted.',
  'output.values': 'output is binary or json.',
  'files.download': 'GET /api/v1/files/{id} downloads a stored result.',
});

export const headers = chapter('Binary image response headers', {
  'header.x-ic-original-bytes': 'X-IC-Original-Bytes is the size of the source in bytes.',
  'header.x-ic-bytes': 'X-IC-Bytes is the size of the result in bytes.',
  'header.x-ic-width-height': 'X-IC-Width and X-IC-Height are the pixel size of the result.',
  'header.x-ic-format': 'X-IC-Format is the format of the result.',
  'header.x-ic-outcome': 'X-IC-Outcome is the outcome of the operation.',
  'header.x-ic-warnings': 'X-IC-Warnings holds the warnings.',
  'header.x-ic-duration-ms': 'X-IC-Duration-Ms is the processing time in milliseconds.',
  'header.x-ic-fingerprint':
    'X-IC-Fingerprint is a perceptual hash of the source, present when fingerprint=true on compress.',
  'header.x-ic-similarity':
    'X-IC-Similarity is the closeness of the result to the source, present when score=true on compress.',
  'header.x-ic-faces': 'X-IC-Faces is, on blur-faces, the number of areas covered.',
  'header.x-ic-frames':
    'X-IC-Frames and X-IC-Animation-Ms are, on gif, frame count and animation length of the result.',
  'header.x-ic-source-frames':
    'X-IC-Source-Frames and X-IC-Source-Animation-Ms are, on gif, frame count and animation length of the upload.',
  'header.x-quota-meter': 'X-Quota-Meter names the allowance (ordinary or AI) that the response was counted against.',
  'header.x-ic-test-mode': 'X-IC-Test-Mode is true on responses to test keys.',
  'header.x-request-id': 'Every response carries X-Request-Id.',
  'header.x-request-id.errors': 'Responses with an error carry X-Request-Id too.',
});
