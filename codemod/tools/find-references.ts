import { z } from 'zod';
import { described } from '../../base/described.ts';
import { listFields, listState, sliceFields } from '../../mcp/lists.ts';
import { tool } from '../../mcp/tool.ts';
import type { LocalContext } from '../context.ts';
import { type Found, findReferences } from '../references/find.ts';
import { CONFIDENCES, type Match, REASONS } from '../references/reference.ts';
import { packageId } from './arguments.ts';

/** Maximum items per list of the result. The rest is only counted. */
const MAX_LISTED = 500;

const match = z.enum(Object.keys(CONFIDENCES) as [Match, ...Match[]]);
const confidence = z.number().min(0).max(1);

const input = z.object({
  package_id: packageId,
  offset: sliceFields().offset,
  limit: z.int().min(1).max(MAX_LISTED).default(MAX_LISTED).meta({ description: 'Most references of the answer.' }),
});
const output = z.object({
  package_id: z.string(),
  files_scanned: z.int(),
  files_skipped: z.int(),
  references: z.array(
    z.object({
      id: z.string(),
      file: z.string(),
      line: z.int(),
      column: z.int(),
      kind: z.string(),
      raw: z.string(),
      seq: z.int(),
      match,
      confidence,
      editable: z.boolean(),
      reason: z.enum(REASONS).nullable(),
    }),
  ),
  images: z.array(z.object({ seq: z.int(), file: z.string(), match, confidence })),
  unmatched: z.array(
    z.object({
      seq: z.int(),
      from: z.string(),
      built_file: described(z.string().nullable(), 'A built file that names it; built files are not edited.'),
    }),
  ),
  ...listFields,
  framework: z.object({
    name: z.string(),
    public_dirs: z.array(z.string()),
    aliases: z.array(z.object({ prefix: z.string(), folder: z.string() })),
  }),
});

export const findReferencesTool = tool<LocalContext, typeof input, typeof output>({
  name: 'find_references',
  title: 'Find references',
  description:
    'Finds where the sources of the project name the images of a package, by content and by address, and says which can be edited and why others cannot. Reads only; nothing leaves the machine. Built output, dependencies and what git ignores are not looked at.',
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ package_id: id, offset, limit }, context, { signal, progress }) {
    const source = await context.package(id);
    const found = await findReferences(context.root, source, { signal, progress });
    const references = listed(found);
    const { sources, skipped, framework } = found.project;
    return {
      structured: {
        package_id: source.id,
        files_scanned: sources.length,
        files_skipped: skipped.length,
        references: references.slice(offset, offset + limit),
        images: found.images.found.slice(0, MAX_LISTED),
        unmatched: found.unmatched
          .slice(0, MAX_LISTED)
          .map(({ line: { seq, from }, builtFile }) => ({ seq, from, built_file: builtFile })),
        ...listState({ offset, limit }, references.length),
        framework: { name: framework.name, public_dirs: framework.publicDirs, aliases: framework.aliases },
      },
      text: `${references.length} references in ${sources.length} sources, ${found.unmatched.length} images of the package without one.`,
    };
  },
});

function listed({ references, sources }: Found) {
  return references.map(({ file, candidate, line: { seq }, match, confidence, reason }, index) => ({
    id: `ref_${index + 1}`,
    file,
    ...sources.get(file)!.places.at(candidate.start),
    kind: candidate.kind,
    raw: candidate.raw,
    seq,
    match,
    confidence,
    editable: reason === undefined,
    reason: reason ?? null,
  }));
}
