import { key } from '../../shell/key.ts';
import { NeedsKey } from '../../shell/needs-key.tsx';
import { route } from '../../shell/router.ts';
import { ProjectList } from './list/project-list.tsx';
import { NewScan } from './new/new-scan.tsx';
import { ScanPage } from './scan/scan-page.tsx';
import './websites.css';

export default function WebsitesPage() {
  return (
    <div class="websites">
      <Content />
    </div>
  );
}

function Content() {
  const [, id, section, part] = route.value.path;
  if (id === undefined)
    return (
      <>
        <h1>Websites</h1>
        <NeedsKey>
          <ProjectList />
        </NeedsKey>
      </>
    );
  if (id === 'new')
    return (
      <>
        <h1>Scan a website</h1>
        <NeedsKey>
          <NewScan key={route.value.query.toString()} />
        </NeedsKey>
      </>
    );
  return (
    <>
      {key.value === undefined && <h1>Website</h1>}
      <NeedsKey>
        <ScanPage key={id} id={id} section={section} part={part} />
      </NeedsKey>
    </>
  );
}
