/** Writes attributes into sources, in a form that is safe in every template language. */

/** Characters that are special in templates and preprocessors, even inside a quoted attribute. */
const SPECIAL_CHARACTERS = /[&<>"{}$#@`\\]/g;
/** Escaped if unbalanced, because the syntax check compares bracket counts. */
const BRACKETS = /[()[\]]/g;

/** Formats an attribute with a leading space. Template characters are written as character references. */
export function formatAttribute(name: string, value: string): string {
  const plain = value.replaceAll(/[\p{Cc}\p{Zs}\u2028\u2029]+/gu, ' ').trim();
  const signs = plain.replaceAll(SPECIAL_CHARACTERS, reference);
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
