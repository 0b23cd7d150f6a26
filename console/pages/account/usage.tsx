/** Shows what is used, what is left, and what the plan allows. */
import { Facts } from '../../ui/facts.tsx';
import { Notice, Tag } from '../../ui/feedback.tsx';
import { bytesText, countText, timeText } from '../../ui/format.ts';
import { Table } from '../../ui/table.tsx';
import { limitTexts, quotaOf, rateUsage, renewalText, sortByUse } from './quota.ts';
import type { OperationUse, QuotaUsage, Usage } from './records.ts';

/** Features that a plan or a scope enables. The first element is the service's name in `features`. */
const FEATURES = [
  ['pipelines', 'Pipelines'],
  ['jobs', 'Jobs'],
  ['background_image', 'An image as background'],
  ['watermark_image', 'An image as watermark'],
  ['ai', 'AI operations'],
  ['sites', 'Websites'],
] as const;
const SCOPE_FEATURES: ReadonlySet<string> = new Set(['ai', 'sites']);

export function UsagePanel({ usage, onReload }: { usage: Usage; onReload(): void }) {
  const { requests, ai, key, test, rate, period } = usage;
  const renewal = renewalText(period.end, Date.now());
  const isTest = key.mode === 'test';
  return (
    <div class="stack">
      <section aria-labelledby="this-month">
        <div class="panel-title">
          <h2 id="this-month">This month</h2>
          <button type="button" class="quiet" onClick={onReload}>
            Refresh
          </button>
        </div>
        {isTest && (
          <Notice>A test key uses none of the account's requests. It takes small files, and few requests a day.</Notice>
        )}
        <div class="quotas">
          {isTest && (
            <QuotaBar
              label="Test requests today"
              standing={{ used: test.used_today, limit: test.limit_per_day }}
              help={`Of all test keys of the account. Reset ${timeText(test.resets_at)}.`}
            />
          )}
          <QuotaBar label="Requests" standing={requests} help={renewal} />
          <QuotaBar label="AI requests" standing={ai} help={renewal} />
          {key.limit !== null && (
            <QuotaBar label="This key" standing={key} help="Requests and AI requests together, by its own limit." />
          )}
          <QuotaBar label="This minute" standing={rateUsage(rate)} help="All requests, also those of this page." />
        </div>
        {usage.notices.map(({ meter, threshold, sent_at, channel }) => (
          <p key={`${meter}${threshold}`} class="help noticed">
            At {threshold}% of the {meter === 'ai' ? 'AI requests' : 'requests'}, {timeText(sent_at)}:{' '}
            {channel === 'email' ? 'the owner got an e-mail.' : 'noted in the log.'}
          </p>
        ))}
      </section>
      <section aria-labelledby="by-operation">
        <h2 id="by-operation">By operation</h2>
        {usage.by_operation.length === 0 ? (
          <p class="help">
            Nothing yet this month. <a href="#/try">Try an operation</a>.
          </p>
        ) : (
          <Operations operations={usage.by_operation} />
        )}
      </section>
      <section aria-labelledby="limits">
        <h2 id="limits">What the plan allows</h2>
        <Facts class="limits" facts={limitTexts(usage.limits)} />
        <ul class="features">
          {FEATURES.map(([name, label]) => (
            <li key={name}>
              {usage.features.includes(name) ? (
                <Tag kind="success">{label}: yes</Tag>
              ) : (
                <Tag kind="warning">
                  {label}: {SCOPE_FEATURES.has(name) ? `needs the scope ${name}` : 'not in this plan'}
                </Tag>
              )}
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function Operations({ operations }: { operations: readonly OperationUse[] }) {
  const rows = sortByUse(operations);
  const most = Math.max(1, rows[0]!.total);
  return (
    <Table
      label="Requests by operation"
      class="by-operation"
      hasRowHeadings
      columns={[
        'Operation',
        ['Requests', 'drawn'],
        ['Received', 'number'],
        ['Sent', 'number'],
        ['Not charged', 'number'],
      ]}
      rows={rows.map(({ operation, total, bytes_in, bytes_out, failed }) => [
        operation,
        <>
          <span>{countText(total)}</span>
          <Bar share={total / most} />
        </>,
        bytesText(bytes_in),
        bytesText(bytes_out),
        countText(failed),
      ])}
    />
  );
}

/** Shows a quota as a bar with its numbers. */
function QuotaBar({ label, standing, help }: { label: string; standing: QuotaUsage; help?: string }) {
  const { share, level, text, rest } = quotaOf(standing);
  return (
    <div class={`quota ${level}`}>
      <h3>{label}</h3>
      <p class="quota-text">
        <strong>{text}</strong>
        {level === 'success' ? <span>{rest}</span> : <Tag kind={level}>{rest}</Tag>}
      </p>
      <Bar share={share} />
      {help && <p class="help">{help}</p>}
    </div>
  );
}

/** Decorative: the text beside it gives the same numbers. */
function Bar({ share = 0 }: { share?: number | undefined }) {
  return (
    <div class="bar" aria-hidden="true">
      <div style={{ width: `${share * 100}%` }} />
    </div>
  );
}
