import { keep, readKept } from '../ui/kept.ts';

/** The language that was chosen in one block of code is shown in all, also the next time. */
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
      // The others change their height: what is being read stays where it is.
      const before = choice.getBoundingClientRect().top;
      choose(choice.value);
      scrollBy({ top: choice.getBoundingClientRect().top - before, behavior: 'instant' });
    });
}
