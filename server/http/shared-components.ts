/**
 * Moves the parts that operations of an OpenAPI document repeat to its components, and back. Written out, four fifths
 * of the document are repetition: the same 27 headers stand there 900 times.
 */
import {
  type MapPart,
  mapOperations,
  mapParts,
  type OpenApi,
  type OpenApiPart,
  type PartKind,
} from './openapi-document.ts';

/**
 * Returns the document with every part that occurs at least twice as a component. The most frequent part of a name
 * gets this name, the others the id of the first operation that has them as well: `Error400`, `Error400-compress`.
 */
export function withSharedComponents(document: OpenApi): OpenApi {
  // First the parts of parts: a response is compared with references in place of its headers.
  const shared = shareParts(document, ['headers', 'schemas']);
  return shareParts(shared, ['parameters', 'requestBodies', 'responses']);
}

/** Returns the document with parameters, headers, bodies and responses written out in every operation. */
export function withoutSharedComponents(document: OpenApi): OpenApi {
  const { headers, parameters, requestBodies, responses, ...components } = document.components as OpenApiPart;
  const resolve: MapPart = (part) => (part.$ref ? componentAt(document, part.$ref) : part);
  // The other schemas are components of the document that was shared.
  const resolveShared: MapPart = (part, ...named) => (isSharedSchema(part) ? resolve(part, ...named) : part);
  const withBodies = mapOperations(document, (operation) =>
    mapParts(operation, { parameters: resolve, requestBodies: resolve, responses: resolve }),
  );
  components.schemas = Object.fromEntries(
    Object.entries(components.schemas).filter(([name]) => !name.startsWith(SHARED_SCHEMA)),
  );
  const written = mapOperations(withBodies, (operation) =>
    mapParts(operation, { headers: resolve, schemas: resolveShared }),
  );
  return { ...written, components };
}

/** How the names of shared schemas begin. No other schema has such a name. */
const SHARED_SCHEMA = 'Parameter.';

const isSharedSchema = ({ $ref }: OpenApiPart): boolean =>
  $ref?.startsWith(`#/components/schemas/${SHARED_SCHEMA}`) === true;

function componentAt(document: OpenApiPart, reference: string): OpenApiPart {
  const [, ...path] = reference.split('/');
  return path.reduce((part, key) => part[key], document);
}

function shareParts(document: OpenApi, kinds: readonly PartKind[]): OpenApi {
  const repeated = new RepeatedParts();
  const map = (mapOf: (operationId: string) => MapPart): OpenApi =>
    mapOperations(document, (operation) => {
      const own = mapOf(operation.operationId);
      return mapParts(operation, Object.fromEntries(kinds.map((kind) => [kind, own])));
    });
  map((operationId) => (part, name, kind) => {
    if (!part.$ref) repeated.count(part, componentName(kind, name), kind, operationId);
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

/** A shorter schema is as short as a reference to it. */
const MIN_SHARED_SCHEMA_LENGTH = 90;

interface CountedPart {
  kind: PartKind;
  name: string;
  part: OpenApiPart;
  firstOperation: string;
  uses: number;
}

const keyOf = (kind: PartKind, part: OpenApiPart): string => `${kind} ${JSON.stringify(part)}`;

class RepeatedParts {
  readonly #counted = new Map<string, CountedPart>();

  count(part: OpenApiPart, name: string, kind: PartKind, firstOperation: string): void {
    const key = keyOf(kind, part);
    const { uses, ...counted } = this.#counted.get(key) ?? { kind, name, part, firstOperation, uses: 0 };
    this.#counted.set(key, { ...counted, uses: uses + 1 });
  }

  /** Names the parts that occur at least twice. */
  named(): { components: OpenApiPart; references: Map<string, { $ref: string }> } {
    const components: OpenApiPart = {};
    const references = new Map<string, { $ref: string }>();
    const repeated = [...this.#counted].filter(
      ([key, { kind, uses }]) => uses > 1 && (kind !== 'schemas' || key.length > MIN_SHARED_SCHEMA_LENGTH),
    );
    for (const [key, { kind, name, part, firstOperation }] of repeated.sort(
      ([, one], [, other]) => other.uses - one.uses,
    )) {
      components[kind] ??= {};
      const ofKind = components[kind];
      const id = name in ofKind ? `${name}-${firstOperation}` : name;
      ofKind[id] = part;
      references.set(key, { $ref: `#/components/${kind}/${id}` });
    }
    return { components, references };
  }
}
