import { Failure } from '../base/failure.ts';
import { CATALOGUE, type ModelPurpose } from './catalogue.ts';

/** Models are installed by the operator, which takes its time. In seconds. */
const RETRY_AFTER = 600;

/** What a model of the purpose is for, in words. */
const WORK: Readonly<Record<ModelPurpose, string>> = {
  background: 'finding the subject of a picture',
  faces: 'finding faces',
  upscale: 'upscaling',
};

/** The command with which the operator installs a model of the purpose. */
export function pullCommand(purpose: ModelPurpose): string {
  const model = CATALOGUE.find((candidate) => candidate.purpose === purpose && candidate.default);
  return `imagecrew models pull${model ? ` ${model.id}` : ''}`;
}

/** 503: no model of the purpose is installed. */
export function modelMissing(purpose: ModelPurpose): Failure {
  return new Failure(
    'model_unavailable',
    `Expected an installed model for ${WORK[purpose]} but received a request before there is one. The operator of this service installs it with: ${pullCommand(purpose)}`,
    { retryAfter: RETRY_AFTER },
  );
}

/** 503: the model is installed but does not load. The cause is for the log. */
export function modelBroken(purpose: ModelPurpose, cause: unknown): Failure {
  return new Failure(
    'model_unavailable',
    `Expected a working model for ${WORK[purpose]} but received one that does not load. The operator of this service checks it with: imagecrew models verify`,
    { retryAfter: RETRY_AFTER, cause },
  );
}
