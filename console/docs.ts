/** Entry of the documentation pages: styles, theme, copy buttons and the filter of the contents. */
import './styles/base.css';
import './styles/docs.css';
import './styles/docs-code.css';
import { addCopyButtons } from './docs/copy-buttons.ts';
import { addFilters } from './docs/filter.ts';
import { addThemeChoice } from './docs/theme-choice.ts';
import { keepVariant } from './docs/variants.ts';
import { applyTheme } from './shell/theme.ts';

applyTheme();
addThemeChoice(document.querySelector('header.top')!);
addCopyButtons();
keepVariant();
for (const contents of document.querySelectorAll<HTMLElement>('nav[aria-label=Contents]')) addFilters(contents);
