import { expected, Failure } from '../../base/failure.ts';
import { invalidPipeline } from '../../engine/pipeline/errors.ts';

/** 400: a value of a pipeline is not what it must be. @param at its place, as `steps[0].params.width` */
export function wrongValue(what: string, at: string, received: unknown): Failure {
  return invalidPipeline(expected(what, at, received), at);
}

/** 400: an object of a pipeline has a field that there is none of. @param at the object's place; empty for the pipeline */
export function unknownField(known: Iterable<string>, at: string, name: string): Failure {
  const message = expected(`one of ${[...known].join(', ')}`, `the name of a field of ${at || 'pipeline'}`, name);
  return invalidPipeline(message, at ? `${at}.${name}` : name);
}

/** 404: no such saved pipeline or template, or no such version of one. */
export function pipelineNotFound(param: 'name' | 'preset', name: string, version: number | undefined): Failure {
  return version === undefined
    ? new Failure('preset_not_found', expected('the name of a saved pipeline or a template', param, name), { param })
    : new Failure('preset_not_found', expected('a version of a saved pipeline', 'version', version), {
        param: 'version',
      });
}

/** 409: templates cannot be changed. */
export function nameReserved(name: string): Failure {
  return new Failure('name_reserved', expected('a name that no template has', 'name', name), { param: 'name' });
}

/** 507: a list of saved pipelines is answered in one piece. */
export function tooManyPipelines(most: number): Failure {
  return new Failure(
    'storage_full',
    `Expected at most ${most} saved pipelines for this account but received one more. Delete one first.`,
    { param: 'name' },
  );
}
