import type { OperationDefinition, OperationInput } from '../definition.ts';
import { checkOcrParams, type OcrParams, ocrParams } from './params.ts';
import { type OcrResult, ocrText, recognition } from './record.ts';

export type OcrInput = OperationInput<OcrParams>;

export const ocr: OperationDefinition<'ocr', typeof ocrParams, OcrInput, OcrResult> = {
  name: 'ocr',
  title: 'Read text',
  hint: 'The text of an image, to copy.',
  summary: 'Read the text in an image',
  description:
    'Printed text of any size, turned or tilted, dark on light or light on dark. Nothing is stored. Text that is hard to read comes with the warning low_confidence.',
  params: ocrParams,
  groups: [{ title: 'Settings', isOpen: true, parameters: ['lang', 'words'] }],
  check: checkOcrParams,
  output: { kind: 'record', description: 'The text.', schema: recognition, toText: ocrText },
  errors: [],
  meter: 'ai',
  model: 'ocr',
  estimate: { baseMs: 400, megapixelMs: 1500 },
  commandExamples: ['receipt.png --lang slv,eng'],
};
