// The tokenizer alone: the package's types know only its whole, which loads the definitions of every property.
declare module 'css-tree/tokenizer' {
  export { tokenize, tokenTypes } from 'css-tree';
}
