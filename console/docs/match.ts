/** An entry of the documentation's search index. */
export interface Entry {
  title: string;
  /** Title of the page that contains the entry. */
  page: string;
  url: string;
}

const MAX_RESULTS = 40;

/**
 * Returns the entries that contain every word. Exact matches come first, then titles that start with the first word.
 */
export function matching(entries: readonly Entry[], wanted: string): Entry[] {
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
