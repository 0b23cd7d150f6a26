import { keep, readKept } from '../ui/kept.ts';

/** The language chosen in one code block applies to all of them, and is kept for the next visit. */
const STORED = 'imagecrew.docs.language';

export function keepVariant(): void {
  const choices = [...document.querySelectorAll<HTMLInputElement>('.variants > input')];
  const choose = (language: string) => {
    for (const choice of choices) if (choice.value === language) choice.checked = true;
  };
  const stored = readKept(STORED);
  if (stored) choose(stored);
  for (const choice of choices)
    choice.addEventListener('change', () => {
      keep(STORED, choice.value);
      // The other blocks change their height, so scroll to keep this one in place.
      const before = choice.getBoundingClientRect().top;
      choose(choice.value);
      scrollBy({ top: choice.getBoundingClientRect().top - before, behavior: 'instant' });
    });
}
