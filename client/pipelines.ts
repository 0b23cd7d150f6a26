/** Pipelines: several steps on one image, saved ones and templates. */
import type { FileAnswer, ImageAnswer } from './answer.ts';
import { type CallOptions, Group, jsonBody, segment } from './calls.ts';
import type { ImageInput } from './image-input.ts';
import type { CompressOptions } from './operations.generated.ts';
import type {
  DeletePipelineAnswer,
  ListPipelinesAnswer,
  Outputs,
  Pipeline,
  PipelineParams,
  PipelinePlan,
  ReadPipelineParams,
  SavedPipeline,
  SavePipelineBody,
  StoredOutputs,
  StoredResult,
} from './types.generated.ts';

export interface PipelineRequest extends Omit<PipelineParams, 'pipeline'> {
  pipeline?: Pipeline | undefined;
}

interface Run {
  dry_run?: false | undefined;
}

/** A pipeline with several results. A saved pipeline may have several too, which its type cannot say. */
export interface OutputsRequest extends PipelineRequest {
  pipeline: Pipeline & { outputs: Outputs };
}

export interface PipelineOperation {
  (
    image: ImageInput,
    params: OutputsRequest & Run & { output?: 'binary' | undefined },
    options?: CompressOptions,
  ): Promise<FileAnswer>;
  (
    image: ImageInput,
    params: OutputsRequest & Run & { output: 'json' },
    options?: CompressOptions,
  ): Promise<StoredOutputs>;
  (
    image: ImageInput,
    params: PipelineRequest & Run & { output?: 'binary' | undefined },
    options?: CompressOptions,
  ): Promise<ImageAnswer>;
  (
    image: ImageInput,
    params: PipelineRequest & Run & { output: 'json' },
    options?: CompressOptions,
  ): Promise<StoredResult>;
  (image: ImageInput, params: PipelineRequest & { dry_run: true }, options?: CompressOptions): Promise<PipelinePlan>;
}

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
