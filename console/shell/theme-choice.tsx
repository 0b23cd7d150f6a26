import { chooseTheme, THEME_NAMES, THEMES, theme } from './theme.ts';

export function ThemeChoice() {
  return (
    <label class="theme-choice">
      <span class="hidden">Colours</span>
      <select
        value={theme.value}
        onChange={({ currentTarget: { value } }) => chooseTheme(THEMES.find((name) => name === value)!)}
      >
        {THEMES.map((name) => (
          <option key={name} value={name}>
            {THEME_NAMES[name]}
          </option>
        ))}
      </select>
    </label>
  );
}
