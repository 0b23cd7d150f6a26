/** What can be found in the documentation. */
export interface Entry {
  title: string;
  /** Title of its page. */
  page: string;
  url: string;
}

const MOST = 40;

/** Those that have every word, the ones that begin with the first word first. */
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
    .slice(0, MOST)
    .map(({ entry }) => entry);
}

/** `crop_ratio`, `crop-ratio` and `Crop ratio` are the same. */
const normal = (text: string): string => text.toLowerCase().replaceAll(/[_-]/g, ' ').trim();
