import { expected, Failure } from '../../base/failure.ts';

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
