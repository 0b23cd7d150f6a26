/** The layout around all pages. */

import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import icon from '../icon.svg';
import { Notice, Spinner } from '../ui/feedback.tsx';
import { KeyBar } from './key-bar.tsx';
import { route, to } from './router.ts';
import { chooseTheme, THEME_NAMES, THEMES, theme } from './theme.ts';

interface PageEntry {
  title: string;
  load(): Promise<{ default: ComponentType }>;
}

/** Pages are loaded when they are first opened. */
const PAGES: Readonly<Record<string, PageEntry>> = {
  try: { title: 'Try', load: () => import('../pages/try/page.tsx') },
  pipelines: { title: 'Pipelines', load: () => import('../pages/pipelines/page.tsx') },
  jobs: { title: 'Jobs', load: () => import('../pages/jobs/page.tsx') },
  websites: { title: 'Websites', load: () => import('../pages/websites/page.tsx') },
  delivery: { title: 'Delivery', load: () => import('../pages/delivery/page.tsx') },
  account: { title: 'Account', load: () => import('../pages/account/page.tsx') },
};
const DEFAULT_PAGE = 'try';

export function App() {
  const name = route.value.path[0] ?? DEFAULT_PAGE;
  const entry = PAGES[name];
  return (
    <>
      <button type="button" class="skip" onClick={focusMain}>
        Skip to the content
      </button>
      <header class="top">
        <a class="brand" href={to([DEFAULT_PAGE])}>
          <img src={icon} alt="" width="24" height="24" />
          Imagecrew
        </a>
        <nav aria-label="Pages">
          {Object.entries(PAGES).map(([page, { title }]) => (
            <a key={page} href={to([page])} aria-current={page === name ? 'page' : undefined}>
              {title}
            </a>
          ))}
          <a href="/docs">Docs</a>
        </nav>
        <KeyBar />
        <ThemeChoice />
      </header>
      <main id="main" tabindex={-1}>
        {entry ? <LazyPage key={name} entry={entry} /> : <NotFound />}
      </main>
      <footer class="bottom">
        <a href="/licences">Licences</a>
      </footer>
    </>
  );
}

/** A function, not a link: the fragment of a link would be read as a page. */
function focusMain(): void {
  document.getElementById('main')!.focus({ preventScroll: true });
}

function LazyPage({ entry }: { entry: PageEntry }) {
  const [Page, setPage] = useState<ComponentType>();
  const [error, setError] = useState<unknown>();
  const isFirst = useRef(document.title === 'Imagecrew');
  useEffect(() => {
    document.title = `${entry.title} · Imagecrew`;
    // After a link within the console, focus the content for screen readers. On first load, start at the top.
    if (!isFirst.current) focusMain();
    entry.load().then((module) => setPage(() => module.default), setError);
  }, [entry]);
  if (error !== undefined) return <Notice error={error}>The page could not be loaded. Load it again.</Notice>;
  return Page ? <Page /> : <Spinner label="Loading" />;
}

function NotFound() {
  return (
    <Notice kind="error">
      There is no such page. <a href={to([DEFAULT_PAGE])}>Try an operation</a> instead.
    </Notice>
  );
}

function ThemeChoice() {
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
