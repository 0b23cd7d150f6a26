/** Runs `ocr` on the real pool. */
import { checkOcrParams, ocrParams } from '../../../engine/operations/ocr/params.ts';
import { type Recognised, recognition } from '../../../engine/operations/ocr/record.ts';
import { sourceParams } from '../../../engine/operations/parameters.ts';
import { ownBuffer, testModelEngine } from '../../support/engine.ts';

export interface OcrOptions {
  lang?: string;
  words?: boolean;
  page?: number;
  filename?: string;
  signal?: AbortSignal;
}

/** Runs ocr and checks that the result matches its declaration. */
export async function ocr(image: Uint8Array, { signal, ...options }: OcrOptions = {}): Promise<Recognised> {
  const params = ocrParams.extend(sourceParams.shape).parse(options);
  checkOcrParams(params);
  const { filename } = options;
  const file = { data: ownBuffer(image), ...(filename === undefined ? {} : { filename }) };
  const engine = await testModelEngine();
  const { record } = await engine.run('ocr', { image: file, params }, signal ? { signal } : {});
  recognition.omit({ duration_ms: true }).strict().parse(record);
  return record;
}
