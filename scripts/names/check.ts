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

const IDENTIFIER = /[A-Za-z_$][\w$]*/g;
/** Comments and strings use words, not names. */
const TEXT = /\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`/g;

/** @returns a sentence for each replaced name that some TypeScript declares or uses */
export function replacedNames(source: string): string[] {
  const names = new Set(source.replaceAll(TEXT, ' ').match(IDENTIFIER));
  return [...names].flatMap((name) => {
    const prefix = Object.keys(REPLACED_PREFIXES).find((each) => name.startsWith(each));
    const better = prefix
      ? name.replace(prefix, REPLACED_PREFIXES[prefix]!)
      : Object.hasOwn(REPLACED_NAMES, name) && REPLACED_NAMES[name];
    return better ? [`Expected ${better} instead of ${name}.`] : [];
  });
}
