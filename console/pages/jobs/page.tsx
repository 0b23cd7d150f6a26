/** The jobs page: the list of jobs, or one job by its id. */
import { key } from '../../shell/key.ts';
import { NeedsKey } from '../../shell/needs-key.tsx';
import { route } from '../../shell/router.ts';
import { JobList } from './job-list.tsx';
import { JobView } from './job-view.tsx';
import './jobs.css';
import { NewJobForm } from './new-job-form.tsx';

export default function JobsPage() {
  const id = route.value.path[1];
  return (
    <>
      <h1>{id === undefined ? 'Jobs' : 'Job'}</h1>
      <NeedsKey>
        {/* The key prop discards the content of another key. */}
        {id === undefined ? <Overview key={key.value} /> : <JobView key={`${key.value} ${id}`} id={id} />}
      </NeedsKey>
    </>
  );
}

function Overview() {
  return (
    <div class="jobs">
      <NewJobForm />
      <JobList />
    </div>
  );
}
