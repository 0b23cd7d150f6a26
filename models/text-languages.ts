/**
 * The languages that OCR reads, by ISO 639-2 code, with English
 * names. Languages with more letters come first. Main-thread safe.
 */
export const TEXT_LANGUAGES = { eng: 'English', slv: 'Slovenian' } as const;
export type TextLanguage = keyof typeof TEXT_LANGUAGES;
