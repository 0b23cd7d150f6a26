/** Entry of the documentation pages: styles, theme, copy buttons and the filter of the contents. */
import './styles/base.css';
import './styles/docs.css';
import './styles/docs-code.css';
import { addFilters } from './docs-filter.ts';
import { applyTheme, chooseTheme, THEME_NAMES, THEMES, theme } from './shell/theme.ts';
import { copyElementText, copyMessage } from './ui/copy-text.ts';
import { readStored, store } from './ui/storage.ts';

function addThemeChoice(header: Element): void {
  const label = document.createElement('label');
  label.className = 'theme-choice';
  const name = document.createElement('span');
  name.className = 'hidden';
  name.textContent = 'Colours';
  const select = document.createElement('select');
  for (const value of THEMES) select.add(new Option(THEME_NAMES[value], value, false, value === theme.value));
  select.addEventListener('change', () => chooseTheme(THEMES.find((value) => value === select.value)!));
  label.append(name, select);
  header.append(label);
}

const SHOWN_MS = 2000;

/** Adds a copy button to each code block. */
function addCopyButtons(): void {
  for (const block of document.querySelectorAll('.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    const said = document.createElement('span');
    said.className = 'hidden';
    said.setAttribute('role', 'status');
    button.addEventListener('click', async () => {
      button.textContent = said.textContent = copyMessage(await copyElementText(block.querySelector('code')!));
      setTimeout(() => {
        button.textContent = 'Copy';
        said.textContent = '';
      }, SHOWN_MS);
    });
    block.append(button, said);
  }
}

/** The language chosen in one code block applies to all of them, and is kept for the next visit. */
const STORAGE_KEY = 'imagecrew.docs.language';

function keepVariant(): void {
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

applyTheme();
addThemeChoice(document.querySelector('header.top')!);
addCopyButtons();
keepVariant();
for (const contents of document.querySelectorAll<HTMLElement>('nav[aria-label=Contents]')) addFilters(contents);
