/** Names that are not used any more, and what is used instead. */

/** Bounds are `MAX_`, `MIN_` or `DEFAULT_`. */
const REPLACED_PREFIXES: Readonly<Record<string, string>> = {
  MOST_: 'MAX_',
  LONGEST_: 'MAX_',
  LARGEST_: 'MAX_',
  HIGHEST_: 'MAX_',
  LEAST_: 'MIN_',
  FEWEST_: 'MIN_',
  SMALLEST_: 'MIN_',
  LOWEST_: 'MIN_',
};

const REPLACED_NAMES: Readonly<Record<string, string>> = {
  Repeated: 'CoalescingTask',
  Teller: 'SseWriter',
  Story: 'SseSubscription',
  AnswerFault: 'UpstreamError',
  Companions: 'AuxiliaryImages',
  onCredit: 'withReservation',
  Alongside: 'TransactionCallback',
  UploadRoom: 'MemoryReservation',
  StorageRoom: 'DiskQuota',
  LatePool: 'LazyPool',
  Course: 'ExecutionPlan',
  Surroundings: 'a context',
  walkSteps: 'applySteps',
  Stepped: 'StepsResult',
  tolerateDamage: 'retryTruncated',
  Keeper: 'a store',
  AskedScan: 'ScanRequest',
  House: 'what it is',
  Told: 'what it is',
};

/** Words that are not part of any name, in lower case. */
const REPLACED_WORDS: Readonly<Record<string, string>> = { picture: 'image' };
/** Terms of a standard that contain such a word: CIPA DC-007, Multi-Picture Format. */
const STANDARD_TERMS = /multi_?picture/gi;

const IDENTIFIER = /[A-Za-z_$][\w$]*/g;
/** Comments and strings use words, not names. */
const TEXT = /\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`/g;

/** @returns a sentence for each replaced name that some TypeScript declares or uses */
export function replacedNames(source: string): string[] {
  return namesIn(source).flatMap((name) => {
    const prefix = Object.keys(REPLACED_PREFIXES).find((each) => name.startsWith(each));
    const better = prefix
      ? name.replace(prefix, REPLACED_PREFIXES[prefix]!)
      : Object.hasOwn(REPLACED_NAMES, name) && REPLACED_NAMES[name];
    return better ? [`Expected ${better} instead of ${name}.`] : [];
  });
}

/** @returns a sentence for each name in some TypeScript that contains a replaced word */
export function replacedWords(source: string): string[] {
  return namesIn(source).flatMap((name) => {
    const own = name.replaceAll(STANDARD_TERMS, '').toLowerCase();
    const word = Object.keys(REPLACED_WORDS).find((each) => own.includes(each));
    return word ? [`Expected ${REPLACED_WORDS[word]} instead of ${word} in ${name}.`] : [];
  });
}

const namesIn = (source: string): string[] => [...new Set(source.replaceAll(TEXT, ' ').match(IDENTIFIER))];
