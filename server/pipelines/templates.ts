import { type Pipeline, parsePipeline } from '../../engine/pipeline/parse.ts';
import { TEMPLATES } from '../../engine/pipeline/templates.ts';

export interface Template extends Pipeline {
  name: string;
}

/** The pipelines that every account has, by name. */
export const TEMPLATES_BY_NAME: ReadonlyMap<string, Template> = new Map(
  TEMPLATES.map((template) => [template.name, { name: template.name, ...parsePipeline(template) }]),
);
