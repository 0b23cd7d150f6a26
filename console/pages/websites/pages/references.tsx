import type { SiteReference } from '../types.ts';

const MAX_REFERENCES = 5;

/** Lists places in sources, by line and column. */
export function References({ references }: { references: readonly SiteReference[] }) {
  const more = references.length - MAX_REFERENCES;
  return (
    <ul class="references">
      {references.slice(0, MAX_REFERENCES).map((reference) => {
        const { line, column, tag, attribute, raw, role, source_url, page_url, stylesheet_url } = reference;
        return (
          <li key={`${source_url} ${line} ${column} ${raw}`}>
            <code>
              {tag === null ? role.replaceAll('_', ' ') : `<${tag}${attribute === null ? '' : ` ${attribute}`}>`}
            </code>{' '}
            {line > 0 && `line ${line}, column ${column}`}
            {source_url !== page_url && (
              <small> in {stylesheet_url === null ? source_url : `the style sheet ${stylesheet_url}`}</small>
            )}
            <code class="raw">{raw.length > 120 ? `${raw.slice(0, 120)} …` : raw}</code>
          </li>
        );
      })}
      {more > 0 && <li class="help">and {more} more</li>}
    </ul>
  );
}
