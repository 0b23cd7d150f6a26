/** Returns `blurFaces` for `blur-faces` and `blur_faces`. */
export const camelCase = (name: string): string =>
  name.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
