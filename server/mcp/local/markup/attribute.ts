/** How attributes are written into sources, whatever language the file is in. */

/** Templates and preprocessors give them a meaning, also between the quotes of an attribute. */
const SIGNS = /[&<>"{}$#@`\\]/g;
/** Where they are not balanced, the file would not be as sound as it was. */
const BRACKETS = /[()[\]]/g;

/** With a space before it. Signs of any template language are written as character references. */
export function writtenAttribute(name: string, value: string): string {
  const plain = value.replaceAll(/[\p{Cc}\p{Zs}\u2028\u2029]+/gu, ' ').trim();
  const signs = plain.replaceAll(SIGNS, reference);
  return ` ${name}="${isBalanced(plain) ? signs : signs.replaceAll(BRACKETS, reference)}"`;
}

function reference(sign: string): string {
  return `&#${sign.charCodeAt(0)};`;
}

function isBalanced(text: string): boolean {
  const open: string[] = [];
  for (const [bracket] of text.matchAll(BRACKETS)) {
    if (bracket === '(' || bracket === '[') open.push(bracket);
    else if (open.pop() !== (bracket === ')' ? '(' : '[')) return false;
  }
  return open.length === 0;
}
