/** The dashboard and the alerts use only metrics and labels that the service exports. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { createMetrics } from '../../server/metrics.ts';

interface Dashboard {
  panels: {
    id: number;
    title: string;
    gridPos: { x: number; w: number };
    targets?: { expr: string; legendFormat: string }[];
  }[];
}
interface Alerts {
  groups: { rules: { alert: string; expr: string }[] }[];
}

const dashboard = JSON.parse(readFileSync('deploy/grafana-dashboard.json', 'utf8')) as Dashboard;
const alerts = parse(readFileSync('deploy/prometheus-alerts.yml', 'utf8')) as Alerts;

/** Exports the metrics after a request, a task, a worker restart and a webhook, in the Prometheus text format. */
async function exampleText(): Promise<string> {
  const metrics = createMetrics();
  const record = { operation: 'compress', errorCode: 'overloaded', phases: { queue: 5 } } as const;
  metrics.requestEnded(record, { status: 503, seconds: 0.1, bytesIn: 1, bytesOut: 1 });
  metrics.observer.taskEnded?.({ task: 'compress', outcome: 'done', runMs: 5 } as never);
  metrics.observer.workerRestarted?.('crash');
  metrics.webhookDelivered('failed');
  return metrics.text();
}

async function offered(): Promise<Map<string, string>> {
  const found = (await exampleText()).matchAll(/^# TYPE (\w+) (\w+)$/gm);
  return new Map([...found].map(([, name, type]) => [name!, type!]));
}

function namesIn(expr: string): string[] {
  return expr.match(/\bic_\w+/g) ?? [];
}

describe('dashboard and alerts', () => {
  it('query only metrics that the service exports', async () => {
    const metrics = await offered();
    const asked = [
      ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
      ...alerts.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
    ].flatMap(namesIn);
    const known = new Set(
      [...metrics].flatMap(([name, type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
      ),
    );
    assert.deepEqual(
      [...new Set(asked)].filter((name) => !known.has(name)),
      [],
    );
    // The dashboard and the alerts together use every metric of the service itself; others are those of every Node.
    const shown = new Set(asked.map((name) => name.replace(/_(?:bucket|sum|count)$/, '')));
    assert.deepEqual(
      [...metrics.keys()].filter((name) => name.startsWith('ic_') && !shown.has(name)),
      [],
    );
  });

  it('group by labels that the metrics have and the legends name', async () => {
    const text = await exampleText();
    for (const { title, targets = [] } of dashboard.panels)
      for (const { expr, legendFormat } of targets) {
        const label = /^\{\{(\w+)\}\}$/.exec(legendFormat)?.[1];
        if (label) {
          assert.match(expr, new RegExp(`by \\((?:le, )?${label}\\)`), title);
          assert.match(text, new RegExp(`^${namesIn(expr)[0]}\\{.*\\b${label}="`, 'm'), title);
        }
        // Only checks that brackets are balanced. Prometheus reports other syntax errors.
        for (const [open, close] of ['()', '{}', '[]'])
          assert.equal(expr.split(open!).length, expr.split(close!).length, `${title}: ${expr}`);
      }
  });

  it('have panels with unique ids that fit the page', () => {
    const { panels } = dashboard;
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    for (const { title, gridPos } of panels) assert.ok(gridPos.x + gridPos.w <= 24, title);
  });
});
