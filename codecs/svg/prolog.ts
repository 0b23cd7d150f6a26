/**
 * Reads everything in front of the first element of an XML document (XML 1.0, 2.8). Safe on the main thread: one pass,
 * loads nothing.
 */

export interface Prolog {
  /** The local name that the document type declares. */
  declared?: string;
  /** Internal general entities; external ones are empty. */
  entities: ReadonlyMap<string, string>;
  /** Processing instructions such as style sheets, without the XML declaration. */
  instructions: readonly string[];
  /** Whether the document type declares default attributes (XML 1.0, 3.3). */
  hasDefaults: boolean;
  /** Offset and local name of the first element; undefined when the text ends or is damaged before. */
  root?: { at: number; name: string };
}

const SPACE = /[\s\ufeff]*/y;
const NAME = /[^\s"'<>/=!?[\]&;%#()]+/y;
const ENTITY = /<!ENTITY\s+(%\s+)?([^\s"'<>&;%]+)\s+(?:"([^"]*)"|'([^']*)')?/y;
const XML_DECLARATION = /^<\?xml\s/i;
/** A character that ends a markup declaration, or may hide its end. */
const DECLARATION_PART = /["'>[]/g;

export function readProlog(text: string): Prolog {
  const entities = new Map<string, string>();
  const instructions: string[] = [];
  const prolog: Prolog = { entities, instructions, hasDefaults: false };
  for (let at = after(SPACE, text, 0); text[at] === '<'; at = after(SPACE, text, at)) {
    if (text.startsWith('<!DOCTYPE', at)) {
      const nameAt = after(SPACE, text, at + '<!DOCTYPE'.length);
      prolog.declared = localName(text.slice(nameAt, after(NAME, text, nameAt)));
      at = readDoctype(text, nameAt, entities);
      prolog.hasDefaults = text.slice(nameAt, at).includes('<!ATTLIST');
    } else if (text[at + 1] === '?' || text[at + 1] === '!') {
      const end = skipNonElement(text, at);
      if (text[at + 1] === '?' && !XML_DECLARATION.test(text.slice(at, at + 6))) instructions.push(text.slice(at, end));
      at = end;
    } else {
      const name = localName(text.slice(at + 1, after(NAME, text, at + 1)));
      return { ...prolog, root: { at, name } };
    }
  }
  return prolog;
}

/**
 * Reads the document type with its internal subset.
 * @returns the end of the declaration, or of the text when it does not end
 */
function readDoctype(text: string, start: number, entities: Map<string, string>): number {
  const end = endOfDeclaration(text, start);
  if (text[end - 1] !== '[') return end;
  let at = after(SPACE, text, end);
  for (; text[at] !== ']' && at < text.length; at = after(SPACE, text, at)) {
    if (text.startsWith('<!ENTITY', at)) at = readEntity(text, at, entities);
    else if (text.startsWith('<!--', at) || text.startsWith('<?', at)) at = skipNonElement(text, at);
    else if (text[at] === '<') at = endOfDeclaration(text, at);
    // A parameter entity refers to declarations that are stored elsewhere.
    else at = through(text, ';', at);
  }
  return through(text, '>', at);
}

function readEntity(text: string, at: number, entities: Map<string, string>): number {
  ENTITY.lastIndex = at;
  const [whole, parameter, name, ...values] = ENTITY.exec(text) ?? [];
  if (whole === undefined || name === undefined) return endOfDeclaration(text, at + 1);
  // The first declaration counts (4.2).
  if (!parameter && !entities.has(name)) entities.set(name, values.find((value) => value !== undefined) ?? '');
  return endOfDeclaration(text, at + whole.length);
}

/** Skips a comment or a processing instruction. Anything else is invalid here and skips to the end of the text. */
function skipNonElement(text: string, at: number): number {
  if (text.startsWith('<!--', at)) return through(text, '-->', at + 4);
  return text[at + 1] === '?' ? through(text, '?>', at) : text.length;
}

/** Returns the end of the next `>` or `[` outside quotation marks. */
function endOfDeclaration(text: string, start: number): number {
  DECLARATION_PART.lastIndex = start;
  for (let found = DECLARATION_PART.exec(text); found; found = DECLARATION_PART.exec(text)) {
    if (found[0] === '>' || found[0] === '[') return DECLARATION_PART.lastIndex;
    DECLARATION_PART.lastIndex = through(text, found[0], DECLARATION_PART.lastIndex);
  }
  return text.length;
}

/** Returns the end of the next `mark`. */
function through(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at === -1 ? text.length : at + mark.length;
}

function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

export const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
