import { readStored, store } from '../ui/storage.ts';

/** The language chosen in one code block applies to all of them, and is kept for the next visit. */
const STORAGE_KEY = 'imagecrew.docs.language';

export function keepVariant(): void {
  const choices = [...document.querySelectorAll<HTMLInputElement>('.variants > input')];
  const choose = (language: string) => {
    for (const choice of choices) if (choice.value === language) choice.checked = true;
  };
  const stored = readStored(STORAGE_KEY);
  if (stored) choose(stored);
  for (const choice of choices)
    choice.addEventListener('change', () => {
      store(STORAGE_KEY, choice.value);
      // The other blocks change their height, so scroll to store this one in place.
      const before = choice.getBoundingClientRect().top;
      choose(choice.value);
      scrollBy({ top: choice.getBoundingClientRect().top - before, behavior: 'instant' });
    });
}
