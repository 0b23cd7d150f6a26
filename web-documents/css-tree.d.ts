// The tokenizer alone. The package has types only for its main entry, which loads the definitions of every property.
declare module 'css-tree/tokenizer' {
  export { tokenize, tokenTypes } from 'css-tree';
}
