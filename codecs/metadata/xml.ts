/** A tokenizer for the XML of XMP packets. It expands no entities, loads nothing and makes one pass. */

export interface Attribute {
  name: string;
  value: string;
  /** Offset of the white space in front of it. */
  start: number;
  valueStart: number;
  end: number;
}

export type Token = Tag | { kind: 'damage' };

type Tag =
  | { kind: 'open'; name: string; attributes: Attribute[]; selfClosing: boolean; start: number; end: number }
  | { kind: 'close'; name: string; start: number; end: number }
  /** Comments, processing instructions and CDATA sections. */
  | { kind: 'other'; comment: boolean; start: number; end: number };

/** Real packets nest structures and lists to a dozen levels at most. */
const MAX_DEPTH = 1000;

const NAME = /[^\s"'<>/=!?]+/y;
const ATTRIBUTE = /\s+([^\s"'<>/=]+)\s*=\s*("[^"<]*"|'[^'<]*')/y;
const TAG_END = /\s*(\/?)>/y;

const OTHER = [
  { start: '<!--', end: '-->', comment: true },
  { start: '<![CDATA[', end: ']]>', comment: false },
  { start: '<?', end: '?>', comment: false },
];

/**
 * Yields the tags in the order of the text. Ends with `damage` when the text is not well-formed or has a document type.
 * A generator, because a packet of megabytes may consist of tags only.
 */
export function* tokenize(text: string): Generator<Token> {
  const open: string[] = [];
  for (let at = text.indexOf('<'); at !== -1; ) {
    const token = readOther(text, at) ?? readTag(text, at);
    const matches = token?.kind !== 'close' || open.pop() === token.name;
    if (!token || !matches || open.length > MAX_DEPTH) {
      yield { kind: 'damage' };
      return;
    }
    if (token.kind === 'open' && !token.selfClosing) open.push(token.name);
    yield token;
    at = text.indexOf('<', token.end);
  }
  if (open.length > 0) yield { kind: 'damage' };
}

function readOther(text: string, start: number): Tag | undefined {
  const syntax = OTHER.find((other) => text.startsWith(other.start, start));
  if (!syntax) return undefined;
  const end = text.indexOf(syntax.end, start + syntax.start.length);
  return end === -1 ? undefined : { kind: 'other', comment: syntax.comment, start, end: end + syntax.end.length };
}

function readTag(text: string, start: number): Tag | undefined {
  const closing = text[start + 1] === '/';
  const name = match(NAME, text, start + (closing ? 2 : 1));
  if (!name) return undefined;
  const attributes: Attribute[] = [];
  let at = name.end;
  for (let found = match(ATTRIBUTE, text, at); found; found = match(ATTRIBUTE, text, at)) {
    const [, attribute = '', quoted = ''] = found.groups;
    attributes.push({
      name: attribute,
      value: quoted.slice(1, -1),
      start: at,
      valueStart: found.end - quoted.length + 1,
      end: found.end,
    });
    at = found.end;
  }
  const end = match(TAG_END, text, at);
  if (!end) return undefined;
  if (closing) return attributes.length > 0 ? undefined : { kind: 'close', name: name.text, start, end: end.end };
  return { kind: 'open', name: name.text, attributes, selfClosing: end.groups[1] === '/', start, end: end.end };
}

function match(
  pattern: RegExp,
  text: string,
  at: number,
): { text: string; groups: RegExpExecArray; end: number } | undefined {
  pattern.lastIndex = at;
  const groups = pattern.exec(text);
  return groups ? { text: groups[0], groups, end: pattern.lastIndex } : undefined;
}
