/** ONNX sessions of one worker: each model is loaded when it is first used, and stays until the worker ends. */
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { InferenceSession, Tensor } from 'onnxruntime-web';
import { dependencyModule, readDependency } from '../base/package-file.ts';
import type { ModelPurpose } from './catalogue.ts';
import { modelBroken, modelMissing } from './errors.ts';
import { findModel } from './installed.ts';

export interface ModelSettings {
  /** Folder of the installed models. */
  folder: string;
  /** Threads of one inference. */
  threads: number;
}

/** An input or output of a model: numbers with their shape. */
export interface TensorValues {
  data: Float32Array;
  shape: readonly number[];
}

/** An output of a model, with its name in the model. */
export interface Output extends TensorValues {
  name: string;
}

export interface LoadedModel {
  /** As in the catalogue. `imagecrew-x2` is the upscaler in the package. */
  id: string;
  /** @param input for the model's only input. @returns its outputs, in their order */
  run(input: TensorValues): Promise<Output[]>;
}

/** The state of each model that was used, by id. */
export type LoadReport = Readonly<Record<string, 'loaded' | 'failed'>>;

/** Opens models. There is one instance per worker. */
export class Models {
  readonly #settings: ModelSettings;
  readonly #report: Record<string, LoadReport[string]> = {};
  readonly #loaded = new Map<string, Promise<LoadedModel>>();

  constructor(settings: ModelSettings) {
    this.#settings = settings;
  }

  get report(): LoadReport {
    return this.#report;
  }

  /** Records the state of a model that was loaded by other code. */
  note(id: string, state: LoadReport[string]): void {
    this.#report[id] = state;
  }

  /** @throws Failure 503 `model_unavailable` if no model of the purpose is installed, or if it does not load */
  async open(purpose: ModelPurpose): Promise<LoadedModel> {
    const model = await findModel(purpose, this.#settings.folder);
    if (!model) throw modelMissing(purpose);
    const loaded = this.#loaded.get(model.path) ?? load(model.id, model.path, this.#settings.threads);
    this.#loaded.set(model.path, loaded);
    try {
      const result = await loaded;
      this.note(model.id, 'loaded');
      return result;
    } catch (error) {
      this.note(model.id, 'failed');
      // Allow a retry, so that replacing the file does not require a restart of the service.
      this.#loaded.delete(model.path);
      throw modelBroken(purpose, error);
    }
  }
}

/** The build for processors: without WebGPU and WebNN. */
const ONNX_RUNTIME = 'onnxruntime-web/ort-wasm-simd-threaded';

let runtime: Promise<typeof import('onnxruntime-web')> | undefined;

async function prepareRuntime(threads: number) {
  const [ort, wasmBinary] = await Promise.all([import('onnxruntime-web'), readDependency(`${ONNX_RUNTIME}.wasm`)]);
  const wasmPaths = { mjs: pathToFileURL(dependencyModule(`${ONNX_RUNTIME}.mjs`)) };
  Object.assign(ort.env.wasm, { numThreads: threads, wasmPaths, wasmBinary });
  // Its warnings are about the graphs, which cannot be changed here.
  ort.env.logLevel = 'error';
  return ort;
}

async function load(id: string, path: string, threads: number): Promise<LoadedModel> {
  runtime ??= prepareRuntime(threads).catch((error: unknown) => {
    runtime = undefined;
    throw error;
  });
  const { env, InferenceSession, Tensor } = await runtime;
  const session = await InferenceSession.create(await readFile(path), {
    logSeverityLevel: 3,
    // Threads that wait by spinning take the cores from the work before and after the model.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  });
  // Compiled with the first session.
  delete env.wasm.wasmBinary;
  const [inputName] = session.inputNames;
  if (inputName === undefined) throw new Error(`Expected a model with an input but received ${id}`);
  return {
    id,
    async run({ data, shape }) {
      const results = await session.run({ [inputName]: new Tensor('float32', data, [...shape]) });
      return session.outputNames.map((name) => ({ name, ...valuesOf(results[name]) }));
    },
  };
}

function valuesOf(tensor: InferenceSession.OnnxValueMapType[string] | undefined): TensorValues {
  const { data, dims } = tensor as Tensor;
  return { data: data as Float32Array, shape: dims };
}
