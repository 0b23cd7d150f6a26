/** Writes HTML. */

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** An HTML element with attributes and without content: its start tag. */
export function element(name: string, attributes: Readonly<Record<string, string>>): string {
  const written = Object.entries(attributes).map(
    ([attribute, value]) => `${attribute}="${value.replaceAll(/[&<>"]/g, (character) => ENTITIES[character]!)}"`,
  );
  return `<${name} ${written.join(' ')}>\n`;
}
