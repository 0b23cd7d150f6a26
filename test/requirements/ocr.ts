import { chapter } from './requirement.ts';

export const ocr = chapter('POST /api/v1/ocr', {
  'ocr.endpoint': 'POST /api/v1/ocr answers with the recognised text.',
  'ocr.confidence': 'confidence is an integer from 0 to 100.',
  'ocr.languages': 'languages is an array of strings.',
  'ocr.size': 'width, height and duration_ms are integers.',
  'ocr.lang': 'lang is one or more of eng, slv, separated by commas; default eng.',
});
