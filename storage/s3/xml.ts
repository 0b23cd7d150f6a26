/** Reads the answers of the store: XML of a few elements, none of which needs its attributes. */
import { Parser } from 'htmlparser2';

/** The texts of the elements of one element, by name. */
export type Fields = Readonly<Record<string, string>>;

/**
 * Returns every element that has this name, however deep, with the texts of its own elements; of several with one name,
 * the first.
 */
export function elementsOf(xml: string, name: string): Fields[] {
  const found: Fields[] = [];
  const open: { name: string; text: string; fields: Record<string, string> }[] = [];
  const parser = new Parser(
    {
      onopentag: (opened) => void open.push({ name: opened, text: '', fields: {} }),
      ontext: (text) => {
        const current = open.at(-1);
        if (current) current.text += text;
      },
      onclosetag: () => {
        const closed = open.pop();
        if (!closed) return;
        if (closed.name === name) found.push(closed.fields);
        const parent = open.at(-1);
        if (parent) parent.fields[closed.name] ??= closed.text;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
  return found;
}
