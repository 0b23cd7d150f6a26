/** Adds a filter over titles, parameters, fields and codes. Its results replace the contents while it has text. */

let entries: Promise<Entry[]> | undefined;

async function load(): Promise<Entry[]> {
  const answer = await fetch('/docs/search.json');
  if (!answer.ok) throw new Error(`${answer.status}`);
  return answer.json();
}

export function addFilters(contents: HTMLElement): void {
  const label = document.createElement('label');
  label.className = 'filter';
  const name = document.createElement('span');
  name.className = 'hidden';
  name.textContent = 'Find a page or a parameter';
  const input = document.createElement('input');
  input.type = 'search';
  input.placeholder = 'Find a page or a parameter';
  label.append(name, input);
  const status = document.createElement('p');
  status.className = 'help found';
  status.setAttribute('role', 'status');
  const results = document.createElement('ul');
  results.className = 'results';
  const own = [...contents.children];
  contents.prepend(label, status, results);
  const show = async () => {
    const wanted = input.value.trim();
    for (const part of own) part.toggleAttribute('hidden', wanted !== '');
    if (wanted === '') {
      results.replaceChildren();
      status.textContent = '';
      return;
    }
    entries ??= load();
    const found = await entries.then(
      (all) => matching(all, wanted),
      () => {
        entries = undefined;
      },
    );
    // The text changed while the list loaded.
    if (input.value.trim() !== wanted) return;
    status.textContent = found ? countText(found.length) : 'The list could not be loaded. Write again.';
    results.replaceChildren(...(found ?? []).map(resultOf));
  };
  input.addEventListener('input', () => void show());
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') results.querySelector('a')?.click();
  });
}

const countText = (count: number): string =>
  count === 0 ? 'Nothing found' : count === 1 ? '1 found' : `${count} found`;

function resultOf({ title, page, url }: Entry): HTMLLIElement {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = url;
  link.textContent = title;
  if (title !== page) {
    const place = document.createElement('small');
    place.textContent = page;
    link.append(' ', place);
  }
  item.append(link);
  return item;
}

/** An entry of the documentation's search index. */
interface Entry {
  title: string;
  /** Title of the page that contains the entry. */
  page: string;
  url: string;
}

const MAX_RESULTS = 40;

/**
 * Returns the entries that contain every word. Exact matches come first, then titles that start with the first word.
 */
function matching(entries: readonly Entry[], wanted: string): Entry[] {
  const words = normal(wanted).split(' ').filter(Boolean);
  const rank = ({ title }: Entry) => {
    const text = normal(title);
    return text === words.join(' ') ? 0 : text.startsWith(words[0]!) ? 1 : 2;
  };
  return entries
    .filter(({ title, page }) => {
      const text = normal(`${title} ${page}`);
      return normal(title).includes(words[0]!) && words.every((word) => text.includes(word));
    })
    .map((entry) => ({ entry, rank: rank(entry) }))
    .sort((one, other) => one.rank - other.rank)
    .slice(0, MAX_RESULTS)
    .map(({ entry }) => entry);
}

/** Treats `crop_ratio`, `crop-ratio` and `Crop ratio` as equal. */
const normal = (text: string): string => text.toLowerCase().replaceAll(/[_-]/g, ' ').trim();
