/** Reads JavaScript, TypeScript and JSX: files, or expressions in attributes. Code is parsed and never executed. */
import { hasImageExtension } from '../../web-documents/address.ts';
import type { CandidateKind, Reason } from './candidate.ts';
import { isCrawled, kindOfMember, kindOfMeta } from './crawler-metadata.ts';
import { crawledRole, type Element, readAttribute } from './element.ts';
import { type EmbeddedSource, withUnknown } from './embedded-source.ts';
import { SCRIPT_ESCAPES, scriptString } from './escapes.ts';
import type { ImageElement } from './image-element.ts';
import { attributesOf, attributeText, nameOf, namesOfElement } from './jsx.ts';
import { readPlainText } from './plain-text.ts';
import type { ReferenceCollector } from './reference-collector.ts';
import { readStrings } from './script-strings.ts';
import {
  isNode,
  NO_CHILDREN,
  type Node,
  namesIn,
  nodes,
  parseAttributeExpression,
  parseProgram,
  type ScriptLanguage,
} from './script-syntax.ts';
import { readValue } from './value.ts';

/** An attribute that is bound to a script expression. */
export interface BoundAttribute {
  element: Element;
  /** In lower case. */
  attribute: string;
}

/** Modules whose components convert images at build time or on request. */
const OPTIMIZERS = new Set([
  'next/image',
  'next/legacy/image',
  'next/future/image',
  'next-image-export-optimizer',
  'gatsby-image',
  'gatsby-plugin-image',
  'astro:assets',
  '@astrojs/image/components',
]);
/** Query parameters of an import address that make the build convert the image. */
const DIRECTIVES = /[?&](?:enhanced|w|h|width|height|format|as|preset|srcset)\b/;

export function readScript(sink: ReferenceCollector, layer: EmbeddedSource, language: ScriptLanguage): void {
  const root = parseProgram(layer.text, language);
  if (root) new ScriptReader(sink, layer).read(root, undefined, undefined);
  else readStrings(sink, layer, undefined);
}

/** Reads the expression of an attribute. Its strings are `dynamic`, unless a literal is the whole value. */
export function readExpression(
  sink: ReferenceCollector,
  layer: EmbeddedSource,
  bound: BoundAttribute,
  language: ScriptLanguage = 'tsx',
): void {
  const root = parseAttributeExpression(layer.text, language);
  if (root?.type === 'Identifier' && bound.element.optimizes) sink.optimizes(String(root.name));
  if (root) new ScriptReader(sink, layer).read(root, bound, 'literal');
  else readStrings(sink, layer, 'dynamic');
}

/** Context of a node. */
interface Context {
  bound: BoundAttribute | undefined;
  kind: CandidateKind;
  /**
   * `literal`: the whole value; `part`: part of an expression that builds an address; undefined: anywhere in a program.
   */
  standing: 'literal' | 'part' | undefined;
}

/** Nodes whose children have the same context. */
const TRANSPARENT = new Set([
  'ArrayExpression',
  'ObjectExpression',
  'ParenthesizedExpression',
  'TSAsExpression',
  'TSNonNullExpression',
  'TSSatisfiesExpression',
  'JSXElement',
  'JSXFragment',
  'JSXOpeningElement',
  'File',
]);
/** Nodes that choose one of several values. */
const CHOICES = new Set(['ConditionalExpression', 'LogicalExpression']);

/** Expressions whose value may be an image or is built from one. */
const VALUES = new Set([
  ...['StringLiteral', 'TemplateLiteral', 'Identifier', 'MemberExpression', 'OptionalMemberExpression'],
  ...['CallExpression', 'NewExpression', 'AwaitExpression', 'ConditionalExpression', 'LogicalExpression'],
  ...['BinaryExpression', 'TSAsExpression', 'TSNonNullExpression', 'ParenthesizedExpression'],
]);
const kindOf = (bound: BoundAttribute | undefined): CandidateKind =>
  (bound && crawledRole(bound.element, bound.attribute)) ?? 'string';

class ScriptReader {
  readonly #sink: ReferenceCollector;
  readonly #layer: EmbeddedSource;
  readonly #text: string;
  /** A stack instead of recursion, because the text may be nested as deep as the parser allows. */
  readonly #waiting: [node: Node, context: Context][] = [];
  /** Parent JSX elements by child node. */
  readonly #parents = new Map<Node, Node>();

  constructor(sink: ReferenceCollector, layer: EmbeddedSource) {
    this.#sink = sink;
    this.#layer = layer;
    this.#text = layer.text;
  }

  read(root: Node, bound: BoundAttribute | undefined, standing: Context['standing']): void {
    for (const comment of nodes(root.comments)) this.#comment(comment);
    this.#collectImports(root);
    this.#waiting.push([root, { bound, kind: kindOf(bound), standing }]);
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) this.#visit(...next);
  }

  #comment({ start, end, type }: Node): void {
    const inner = { start: start + 2, end: type === 'CommentBlock' ? end - 2 : end };
    readPlainText(this.#sink, this.#layer.part(inner), 'string', 'comment');
  }

  /** Collects the imported components first, so that they are known when they are used. */
  #collectImports(root: Node): void {
    const body = isNode(root.program) ? nodes(root.program.body) : [];
    for (const statement of body) {
      if (statement.type !== 'ImportDeclaration' || !isNode(statement.source)) continue;
      if (!OPTIMIZERS.has(String(statement.source.value))) continue;
      for (const { local } of nodes(statement.specifiers))
        if (isNode(local)) this.#sink.optimizers.add(String(local.name));
    }
  }

  #visit(node: Node, context: Context): void {
    switch (node.type) {
      case 'StringLiteral':
        this.#value(this.#contentOf(node), context);
        return;
      case 'TemplateLiteral':
        this.#template(node, context);
        return;
      case 'ImportDeclaration':
      case 'ExportNamedDeclaration':
      case 'ExportAllDeclaration':
        if (!isNode(node.source)) break;
        this.#import(node, node.source);
        return;
      case 'ImportExpression':
      case 'CallExpression':
      case 'NewExpression':
        this.#call(node, context);
        return;
      case 'BinaryExpression':
        this.#children(node, { ...context, standing: node.operator === '+' ? 'part' : context.standing });
        return;
      case 'ObjectProperty':
      case 'ClassProperty':
      case 'ObjectMethod':
      case 'ClassMethod':
        if (node.computed) break;
        this.#children({ ...node, key: undefined }, this.#property(node, context));
        return;
      case 'ObjectExpression':
        this.#children(node, { ...this.#inside(node, context), kind: kindOfMeta(node) ?? context.kind });
        return;
      case 'Identifier':
        if (isCrawled(context.kind)) this.#sink.crawls(String(node.name));
        return;
      case 'MemberExpression':
      case 'OptionalMemberExpression':
        if (node.computed) break;
        this.#children({ ...node, property: undefined }, this.#inside(node, context));
        return;
      case 'VariableDeclarator':
        this.#declaration(node.id, node.init);
        break;
      case 'AssignmentPattern':
        this.#declaration(node.left, node.right);
        break;
      case 'TSModuleDeclaration':
        this.#children({ ...node, id: undefined }, context);
        return;
      case 'JSXElement':
        this.#element(node, context);
        return;
    }
    this.#children(node, this.#inside(node, context));
  }

  // Images of crawlers

  /** The context of an object member, by its name: `openGraph: { images: … }`, `ogImage: …`. */
  #property({ key, value }: Node, context: Context): Context {
    const name = isNode(key) ? String(key.name ?? key.value) : '';
    if (name === 'themeConfig') this.#themeImage(value);
    return { ...context, kind: kindOfMember(name, context.kind) };
  }

  /** Docusaurus uses the `image` of its theme configuration for crawlers. */
  #themeImage(value: unknown): void {
    const object = isNode(value) && isNode(value.expression) ? value.expression : value;
    for (const { key, value: image } of isNode(object) ? nodes(object.properties) : []) {
      if (!isNode(key) || key.name !== 'image' || !isNode(image)) continue;
      this.#sink.declares('themeConfig.image', this.#layer, image, namesIn(image));
      this.#sink.crawls('themeConfig.image');
    }
  }

  /** Records the value of a variable if its type is one of {@link VALUES}. */
  #declaration(target: unknown, value: unknown): void {
    if (!isNode(target) || !isNode(value) || target.type !== 'Identifier' || !VALUES.has(value.type)) return;
    this.#sink.declares(String(target.name), this.#layer, value, namesIn(value));
  }

  #inside(node: Node, context: Context): Context {
    if (CHOICES.has(node.type) || TRANSPARENT.has(node.type)) {
      const chosen = CHOICES.has(node.type) && context.standing === 'literal';
      return chosen ? { ...context, standing: 'part' } : context;
    }
    return { ...context, bound: undefined, standing: context.standing === undefined ? undefined : 'part' };
  }

  #children(node: Node, context: Context): void {
    for (const name of Object.keys(node)) {
      if (NO_CHILDREN.has(name)) continue;
      const value = node[name];
      for (const child of isNode(value) ? [value] : nodes(value)) this.#waiting.push([child, context]);
    }
  }

  // Strings

  /** The content of a string literal. */
  #contentOf({ start, end }: Node): EmbeddedSource {
    return this.#layer.unescaped({ start: start + 1, end: end - 1 }, SCRIPT_ESCAPES, scriptString(this.#text[start]!));
  }

  #template(node: Node, context: Context): void {
    const expressions = nodes(node.expressions);
    const quasis = nodes(node.quasis);
    // Between two text parts is an expression.
    const between = quasis.slice(1).map(({ start }, index) => ({
      start: quasis[index]!.end - node.start,
      end: start - node.start,
    }));
    const text = withUnknown(this.#text.slice(node.start, node.end), between);
    const layer = this.#layer
      .part(node)
      .reading(text)
      .unescaped({ start: 1, end: text.length - 1 }, SCRIPT_ESCAPES, scriptString('`'));
    this.#value(layer, context);
    for (const expression of expressions)
      this.#waiting.push([expression, { ...context, bound: undefined, standing: 'part' }]);
  }

  #value(layer: EmbeddedSource, { bound, kind, standing }: Context): void {
    const read = () => {
      if (bound) readAttribute(this.#sink, bound.element, bound.attribute, layer);
      else readValue(this.#sink, layer, { kind, reason: this.#reasonOf(layer, kind) });
    };
    if (standing === 'part') this.#sink.within('dynamic', read);
    else read();
  }

  #reasonOf(layer: EmbeddedSource, kind: CandidateKind): Reason | undefined {
    return kind === 'import' && DIRECTIVES.test(layer.text) ? 'framework_optimizes' : undefined;
  }

  // Modules

  #import(node: Node, source: Node): void {
    const layer = this.#contentOf(source);
    if (!hasImageExtension(layer.text)) return;
    const candidate = this.#sink.add(layer, { kind: 'import', reason: this.#reasonOf(layer, 'import') });
    if (!candidate) return;
    for (const { local } of nodes(node.specifiers)) {
      if (!isNode(local)) continue;
      this.#sink.imported(String(local.name), candidate);
      this.#sink.declares(String(local.name), this.#layer, source, []);
    }
  }

  #call(node: Node, context: Context): void {
    const callee = isNode(node.callee) ? node.callee : undefined;
    const name = callee ? this.#text.slice(callee.start, Math.min(callee.end, callee.start + 40)) : 'import';
    const loads = name === 'import' || name === 'require' || name === 'require.resolve';
    const isUrl =
      node.type === 'NewExpression' &&
      name === 'URL' &&
      /import\.meta|__dirname|location/.test(this.#secondArgument(node));
    if (loads || isUrl) this.#children(node, { ...context, kind: 'import' });
    else {
      const joins = /(?:^|\.)(?:join|resolve|concat|replace|replaceAll)$/.test(name);
      const inside = this.#inside(node, context);
      this.#children(node, joins ? { ...inside, standing: 'part' } : inside);
    }
  }

  #secondArgument(node: Node): string {
    const second = nodes(node.arguments)[1];
    return second ? this.#text.slice(second.start, Math.min(second.end, second.start + 40)) : '';
  }

  // JSX

  #element(node: Node, context: Context): void {
    const opening = node.openingElement as Node;
    const component = nameOf(opening.name as Node);
    const strings = new Map<string, string>();
    const attributes = nodes(opening.attributes).filter(({ type }) => type === 'JSXAttribute');
    for (const { name, value } of attributes)
      if (isNode(value) && value.type === 'StringLiteral')
        strings.set(nameOf(name as Node).toLowerCase(), String(value.value));
    const element: Element = {
      name: component.toLowerCase(),
      get: (attribute) => strings.get(attribute),
      optimizes: this.#sink.optimizers.has(component),
    };
    if ((opening.name as Node).type === 'JSXIdentifier' && component === 'img') this.#image(node, opening);
    for (const attribute of nodes(opening.attributes)) this.#attribute(attribute, element, context);
    for (const child of nodes(node.children)) {
      this.#parents.set(child, node);
      this.#waiting.push([child, { bound: undefined, kind: 'string', standing: undefined }]);
    }
  }

  #image(node: Node, opening: Node): void {
    if (!this.#layer.isMarkup) return;
    const parent = this.#parents.get(node)?.openingElement as Node | undefined;
    const around = parent && namesOfElement(parent);
    const element: ImageElement = {
      ...this.#layer.place(opening),
      insertAt: this.#layer.place(opening.name as Node).end,
      ...attributesOf(opening),
      hasPicture: parent !== undefined && nameOf(parent.name as Node) === 'picture',
    };
    this.#sink.addElement(around ? { ...element, parent: around } : element);
  }

  #attribute(node: Node, element: Element, context: Context): void {
    const value = node.value;
    if (node.type !== 'JSXAttribute' || !isNode(value)) {
      this.#waiting.push([node, { ...context, bound: undefined, standing: undefined }]);
      return;
    }
    const attribute = nameOf(node.name as Node).toLowerCase();
    if (value.type === 'StringLiteral') {
      readAttribute(this.#sink, element, attribute, attributeText(this.#layer.part(value)));
      return;
    }
    const expression = isNode(value.expression) ? value.expression : undefined;
    if (element.optimizes && expression?.type === 'Identifier') this.#sink.optimizes(String(expression.name));
    const bound = { element, attribute };
    this.#waiting.push([expression ?? value, { bound, kind: kindOf(bound), standing: undefined }]);
  }
}
