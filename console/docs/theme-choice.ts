/** Adds the theme menu of the console. It only works with a script, so the script creates it. */
import { chooseTheme, THEME_NAMES, THEMES, theme } from '../shell/theme.ts';

export function addThemeChoice(header: Element): void {
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
