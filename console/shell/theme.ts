/** Light, dark or system theme. The documentation pages use it too. */
import { signal } from '@preact/signals';
import { readStored, store } from '../ui/storage.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const THEME_NAMES = { system: 'System', light: 'Light', dark: 'Dark' } as const;

const STORED = 'imagecrew.theme';

export const theme = signal<Theme>(storedTheme());

export function applyTheme(): void {
  const { dataset } = document.documentElement;
  if (theme.value === 'system') delete dataset.theme;
  else dataset.theme = theme.value;
}

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  store(STORED, chosen === 'system' ? undefined : chosen);
  applyTheme();
}

function storedTheme(): Theme {
  const stored = readStored(STORED);
  return THEMES.find((name) => name === stored) ?? 'system';
}
