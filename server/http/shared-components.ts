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
  // Headers first: a response is compared with references in place of its headers.
  return shareParts(shareParts(document, ['headers']), ['parameters', 'responses']);
}

/** Returns the document with parameters, headers and responses written out in every operation. */
export function withoutSharedComponents(document: OpenApi): OpenApi {
  const { headers, parameters, responses, ...components } = document.components as OpenApiPart;
  const resolve: MapPart = (part) => (part.$ref ? componentAt(document, part.$ref) : part);
  const withResponses = mapOperations(document, (operation) =>
    mapParts(operation, { parameters: resolve, responses: resolve }),
  );
  return { ...mapOperations(withResponses, (operation) => mapParts(operation, { headers: resolve })), components };
}

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
  map((operationId) => (part, name, kind) => repeated.count(part, componentName(kind, name), kind, operationId));
  const { components, references } = repeated.named();
  const shared = map(() => (part, _, kind) => references.get(keyOf(kind, part)) ?? part);
  return { ...shared, components: { ...shared.components, ...components } };
}

function componentName(kind: PartKind, name: string): string {
  if (kind !== 'responses') return name;
  return Number(name) < 400 ? `Response${name}` : `Error${name}`;
}

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

  count(part: OpenApiPart, name: string, kind: PartKind, firstOperation: string): OpenApiPart {
    const key = keyOf(kind, part);
    const { uses, ...counted } = this.#counted.get(key) ?? { kind, name, part, firstOperation, uses: 0 };
    this.#counted.set(key, { ...counted, uses: uses + 1 });
    return part;
  }

  /** Names the parts that occur at least twice. */
  named(): { components: OpenApiPart; references: Map<string, { $ref: string }> } {
    const components: OpenApiPart = {};
    const references = new Map<string, { $ref: string }>();
    const repeated = [...this.#counted].filter(([, { uses }]) => uses > 1);
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
