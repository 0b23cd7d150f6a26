/** The languages whose text can be read, by their ISO 639-2 codes, with their English names; those with more signs first. Main-thread safe. */
export const TEXT_LANGUAGES = { eng: 'English', slv: 'Slovenian' } as const;
export type TextLanguage = keyof typeof TEXT_LANGUAGES;
