/** Reads the names and attributes of JSX elements. */
import { type NameList, namesOf } from '../../web-documents/names.ts';
import type { ImageElement } from './image-element.ts';
import { isNode, type Node, nodes } from './script-syntax.ts';

/** The name of an element or attribute. */
export function nameOf(node: Node): string {
  if (node.type === 'JSXMemberExpression') return nameOf(node.property as Node);
  if (node.type === 'JSXNamespacedName') return `${nameOf(node.namespace as Node)}:${nameOf(node.name as Node)}`;
  return String(node.name);
}

/** The attributes of a JSX element. A spread may add unknown ones. */
export function attributesOf(opening: Node): Pick<ImageElement, 'attributes' | 'hasUnknownAttributes'> {
  const attributes = new Map<string, string | undefined>();
  let hasUnknownAttributes = false;
  for (const { type, name, value } of nodes(opening.attributes)) {
    if (type === 'JSXAttribute') attributes.set(nameOf(name as Node).toLowerCase(), literalOf(value));
    else hasUnknownAttributes = true;
  }
  return { attributes, hasUnknownAttributes };
}

/** The value of a JSX attribute if it is a literal. */
function literalOf(value: unknown): string | undefined {
  if (!isNode(value)) return '';
  const node = value.type === 'JSXExpressionContainer' && isNode(value.expression) ? value.expression : value;
  return /^(?:String|Numeric)Literal$/.test(node.type) ? String(node.value) : undefined;
}

/** The names of a JSX element; undefined for a component, or if expressions determine them. */
export function namesOfElement(opening: Node): NameList | undefined {
  const name = opening.name as Node;
  const { attributes, hasUnknownAttributes } = attributesOf(opening);
  const [classes, id] = ['classname', 'id'].map((each) => (attributes.has(each) ? attributes.get(each) : null));
  if (name.type !== 'JSXIdentifier' || !/^[a-z]/.test(nameOf(name)) || hasUnknownAttributes) return undefined;
  return classes === undefined || id === undefined ? undefined : namesOf(nameOf(name), id, classes);
}
