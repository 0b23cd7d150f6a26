import { expected, Failure } from '../../base/failure.ts';
import { hintForName } from '../../base/unknown-name.ts';
import { invalidPipeline } from '../../engine/pipeline/errors.ts';

/** 400: a value of a pipeline is invalid. @param at path of the value, such as `steps[0].params.width` */
export const invalidValue = (what: string, at: string, received: unknown): Failure =>
  invalidPipeline(expected(what, at, received), at);

/** 400: an object of a pipeline has an unknown field. @param at path of the object; empty for the pipeline itself */
export function unknownField(known: Iterable<string>, at: string, name: string): Failure {
  const names = [...known];
  const message = expected(`one of ${names.join(', ')}`, `the name of a field of ${at || 'pipeline'}`, name);
  return invalidPipeline(message, at ? `${at}.${name}` : name, hintForName(name, names));
}

/** 404: no saved pipeline or template of this name, or no such version. */
export function pipelineNotFound(param: 'name' | 'preset', name: string, version: number | undefined): Failure {
  const hint = 'GET /api/v1/pipelines lists your saved pipelines, with their versions, and the templates.';
  const [what, at, received] =
    version === undefined
      ? (['the name of a saved pipeline or a template', param, name] as const)
      : (['a version of a saved pipeline', 'version', version] as const);
  return new Failure('preset_not_found', expected(what, at, received), { param: at, hint });
}

/** 409: templates cannot be changed. */
export const nameReserved = (name: string): Failure =>
  new Failure('name_reserved', expected('a name that no template has', 'name', name), { param: 'name' });

/** 507: the list of saved pipelines is returned as a whole, so their number is limited. */
export function tooManyPipelines(most: number): Failure {
  return new Failure(
    'storage_full',
    `Expected at most ${most} saved pipelines for this account but received one more.`,
    { param: 'name', hint: 'Delete a saved pipeline first.' },
  );
}
