/**
 * Moves the parts that operations and schemas of an OpenAPI document repeat to its components, and back. Written out,
 * four fifths of the document are repetition: the same 27 headers stand there 900 times.
 */
import {
  type MapPart,
  mapLeaves,
  mapOperations,
  mapParts,
  type OpenApi,
  type OpenApiPart,
  type PartKind,
} from './openapi-document.ts';

/**
 * Returns the document with every part that occurs at least twice as a component. The most frequent part of a name
 * gets this name, the others the id of the first operation or schema that has them as well: `Error400`, `Error400-compress`.
 */
export function withSharedComponents(document: OpenApi): OpenApi {
  // First the parts of parts: a response is compared with references in place of its headers.
  const shared = shareParts(withSharedVariants(document), ['headers', 'schemas']);
  return shareParts(shared, ['parameters', 'requestBodies', 'responses']);
}

/** Returns the document with every part written out where it is used, apart from the schemas that its declarations name. */
export function withoutSharedComponents(document: OpenApi): OpenApi {
  const { headers, parameters, requestBodies, responses, ...components } = document.components as OpenApiPart;
  const resolve: MapPart = (part) => (part.$ref ? componentAt(document, part.$ref) : part);
  // The other schemas are components of the document that was shared.
  const resolveShared: MapPart = (part, ...named) => (isSharedSchema(part) ? resolve(part, ...named) : part);
  const withBodies = mapOperations(document, (operation) =>
    mapParts(operation, { parameters: resolve, requestBodies: resolve, responses: resolve }),
  );
  const declared = Object.entries<OpenApiPart>(components.schemas).filter(([name]) => !isSharedName(name));
  components.schemas = Object.fromEntries(
    declared.map(([name, schema]) => [name, mapLeaves(variantOf(document, schema), resolveShared)]),
  );
  const written = mapOperations(withBodies, (operation) =>
    mapParts(operation, { headers: resolve, schemas: resolveShared }),
  );
  return { ...written, components };
}

const SCHEMA_PATH = '#/components/schemas/';
/** How the names of shared schemas begin. No other schema has such a name. */
const SHARED_SCHEMA = 'Property.';

const isSharedName = (name: string): boolean => name.startsWith(SHARED_SCHEMA);

const isSharedSchema = ({ $ref }: OpenApiPart): boolean =>
  $ref?.startsWith(SCHEMA_PATH) === true && isSharedName($ref.slice(SCHEMA_PATH.length));

/** How zod-openapi ends the name of a schema that answers have differently: there all defaults are filled in. */
const OUTPUT_SUFFIX = 'Output';

/** Says of the schema of an answer only what it requires more than that of the request, where that is all. */
function withSharedVariants(document: OpenApi): OpenApi {
  const schemas = document.components?.schemas as OpenApiPart;
  const variants = Object.entries<OpenApiPart>(schemas).map(([name, { required, ...schema }]) => {
    const base = name.endsWith(OUTPUT_SUFFIX) ? name.slice(0, -OUTPUT_SUFFIX.length) : undefined;
    const isVariant = base !== undefined && JSON.stringify(schemas[base]) === JSON.stringify(schema);
    return [name, isVariant ? { allOf: [{ $ref: SCHEMA_PATH + base }], required } : schemas[name]];
  });
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(variants) } };
}

/** The schema as it was before `withSharedVariants`. */
function variantOf(document: OpenApi, schema: OpenApiPart): OpenApiPart {
  const { allOf, required } = schema;
  return allOf ? { ...componentAt(document, allOf[0].$ref), required } : schema;
}

function componentAt(document: OpenApiPart, reference: string): OpenApiPart {
  const [, ...path] = reference.split('/');
  return path.reduce((part, key) => part[key], document);
}

function shareParts(document: OpenApi, kinds: readonly PartKind[]): OpenApi {
  const repeated = new RepeatedParts();
  /** @param mapOf gets the id of the operation, or the name of the schema */
  const map = (mapOf: (owner: string) => MapPart): OpenApi => {
    const mapped = mapOperations(document, (operation) => {
      const own = mapOf(operation.operationId);
      return mapParts(operation, Object.fromEntries(kinds.map((kind) => [kind, own])));
    });
    if (!kinds.includes('schemas')) return mapped;
    const schemas = Object.entries<OpenApiPart>(document.components?.schemas ?? {}).map(([name, schema]) => [
      name,
      mapLeaves(schema, mapOf(name)),
    ]);
    return { ...mapped, components: { ...mapped.components, schemas: Object.fromEntries(schemas) } };
  };
  map((owner) => (part, name, kind) => {
    if (!part.$ref) repeated.count(part, componentName(kind, name), kind, owner);
    return part;
  });
  const { components, references } = repeated.named();
  const shared = map(() => (part, _, kind) => references.get(keyOf(kind, part)) ?? part);
  const schemas = { ...shared.components?.schemas, ...components.schemas };
  return { ...shared, components: { ...shared.components, ...components, schemas } };
}

function componentName(kind: PartKind, name: string): string {
  if (kind === 'schemas') return `${SHARED_SCHEMA}${name}`;
  if (kind !== 'responses') return name;
  return Number(name) < 400 ? `Response${name}` : `Error${name}`;
}

/** Whether a schema and the references to it are shorter than the schema at every place. */
function isShorterShared({ name, part, uses }: CountedPart): boolean {
  const { length } = JSON.stringify(part);
  const reference = JSON.stringify({ $ref: SCHEMA_PATH + name }).length;
  return uses * length > uses * reference + length + JSON.stringify(name).length;
}

interface CountedPart {
  kind: PartKind;
  name: string;
  part: OpenApiPart;
  /** The operation, or the schema, that has it first. */
  firstOwner: string;
  uses: number;
}

const keyOf = (kind: PartKind, part: OpenApiPart): string => `${kind} ${JSON.stringify(part)}`;

class RepeatedParts {
  readonly #counted = new Map<string, CountedPart>();

  count(part: OpenApiPart, name: string, kind: PartKind, firstOwner: string): void {
    const key = keyOf(kind, part);
    const { uses, ...counted } = this.#counted.get(key) ?? { kind, name, part, firstOwner, uses: 0 };
    this.#counted.set(key, { ...counted, uses: uses + 1 });
  }

  /** Names the parts that occur at least twice. */
  named(): { components: OpenApiPart; references: Map<string, { $ref: string }> } {
    const components: OpenApiPart = {};
    const references = new Map<string, { $ref: string }>();
    const repeated = [...this.#counted].filter(
      ([, counted]) => counted.uses > 1 && (counted.kind !== 'schemas' || isShorterShared(counted)),
    );
    for (const [key, { kind, name, part, firstOwner }] of repeated.sort(
      ([, one], [, other]) => other.uses - one.uses,
    )) {
      components[kind] ??= {};
      const ofKind = components[kind];
      const id = name in ofKind ? `${name}-${firstOwner}` : name;
      ofKind[id] = part;
      references.set(key, { $ref: `#/components/${kind}/${id}` });
    }
    return { components, references };
  }
}
