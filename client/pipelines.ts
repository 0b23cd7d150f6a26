/** Saved pipelines and templates. */
import { type CallOptions, Group, jsonBody, segment } from './calls.ts';
import type {
  DeletePipelineAnswer,
  ListPipelinesAnswer,
  Pipeline,
  ReadPipelineParams,
  SavedPipeline,
  SavePipelineBody,
} from './types.generated.ts';

const PATH = '/api/v1/pipelines';

export class Pipelines extends Group {
  /** Lists the saved pipelines and the templates. */
  list(options: CallOptions = {}): Promise<ListPipelinesAnswer> {
    return this.transport.json(PATH, options);
  }

  /** Saves a pipeline. If the name exists, this adds a version. */
  save(pipeline: SavePipelineBody, options: CallOptions = {}): Promise<SavedPipeline> {
    return this.transport.json(PATH, { method: 'POST', ...options, ...jsonBody(pipeline) });
  }

  read(name: string, params: ReadPipelineParams = {}, options: CallOptions = {}): Promise<SavedPipeline | Pipeline> {
    return this.transport.json(`${PATH}/${segment(name)}`, { query: params, ...options });
  }

  /** Deletes all versions. */
  delete(name: string, options: CallOptions = {}): Promise<DeletePipelineAnswer> {
    return this.transport.json(`${PATH}/${segment(name)}`, { method: 'DELETE', ...options });
  }
}
