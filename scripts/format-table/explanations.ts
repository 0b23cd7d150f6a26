/** Why files that do not read or agree are right as they are, or what stands in the way; found by looking at them. */

const EXPLANATIONS: Readonly<Record<string, string>> = {
  'pdf/pdf.js--pr6531_1.pdf': 'It is protected by a password, and the service takes none: that is the answer wanted.',
};

export function explanationOf(name: string): string | undefined {
  return EXPLANATIONS[name];
}
