import { chapter } from './requirement.ts';

export const pipeline = chapter('POST /api/v1/pipeline', {
  'pipeline.endpoint': 'POST /api/v1/pipeline runs several steps on one image in one request.',
  'pipeline.step': "A step has op, the operation, and params, that operation's parameters.",
  'pipeline.step.when': 'A step may have when, a condition such as min_width.',
  'pipeline.query': 'The query parameter pipeline holds the pipeline as JSON.',
  'pipeline.multipart': 'The pipeline may be a multipart field.',
  'pipeline.json-body': 'The pipeline may be a part of a JSON body.',
  'pipeline.preset.saved': 'preset names a saved pipeline.',
  'pipeline.preset.template': 'preset names a template.',
  'pipeline.version': 'version chooses a version of the saved pipeline; default the latest.',
  'pipeline.version.bounds': 'version is an integer from 1 to 1000000.',
  'pipeline.dry-run': 'dry_run=true reports what would run, without processing; default false.',
  'pipeline.dry-run.sizes': 'A dry run reports predicted sizes.',
  'pipeline.name': 'name is the source file name for the output name pattern.',
  'pipeline.output-json': 'output=json answers pipeline with a stored result with filename, pipeline and steps.',
});

export const pipelines = chapter('Saved pipelines', {
  'pipelines.list': 'GET /api/v1/pipelines lists the saved pipelines.',
  'pipelines.list.templates': 'GET /api/v1/pipelines lists the built-in templates.',
  'pipelines.save': 'POST /api/v1/pipelines answers 201 with the saved version.',
  'pipelines.save.name-length': 'name has at most 60 characters.',
  'pipelines.save.required': 'name and pipeline are required.',
  'pipelines.save.new-version': 'An existing name gets a new version.',
  'pipelines.get': 'GET /api/v1/pipelines/{name} answers with the pipeline.',
  'pipelines.get.version': 'version chooses a version of the pipeline, from 1 to 1000000; default the latest.',
  'pipelines.delete': 'DELETE /api/v1/pipelines/{name} deletes every version.',
});
