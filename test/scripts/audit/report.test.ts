import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readAudit } from '../../../scripts/audit/report.ts';

const SHIPPED = new Set(['node_modules/one', 'node_modules/two/node_modules/one']);

/** A report of npm with one vulnerability. */
const reportOf = (severity: string, nodes: string[]): string =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: {
      one: {
        name: 'one',
        severity,
        isDirect: true,
        via: [{ source: 1, name: 'one', title: 'Code injection', url: 'https://example.com/1', severity }, 'two'],
        effects: [],
        range: '<2',
        nodes,
        fixAvailable: true,
      },
    },
    metadata: {},
  });

describe('the report of npm audit', () => {
  test('names high and critical vulnerabilities of packages that reach users', () => {
    for (const severity of ['high', 'critical'])
      assert.deepEqual(readAudit(reportOf(severity, ['node_modules/one']), SHIPPED), {
        findings: [`one (${severity}): Code injection https://example.com/1; by two`],
      });
  });

  test('leaves out lower ones, and packages that no user gets', () => {
    assert.deepEqual(readAudit(reportOf('moderate', ['node_modules/one']), SHIPPED), { findings: [] });
    assert.deepEqual(readAudit(reportOf('high', ['node_modules/three/node_modules/one']), SHIPPED), { findings: [] });
    assert.deepEqual(readAudit('{"auditReportVersion":2,"vulnerabilities":{}}', SHIPPED), { findings: [] });
  });

  test('tells a registry without an audit from a clean report', () => {
    const refused = { message: '405 Method Not Allowed', method: 'POST', statusCode: 405, error: { summary: '' } };
    assert.deepEqual(readAudit(JSON.stringify(refused), SHIPPED), { unavailable: '405 Method Not Allowed' });
    assert.deepEqual(readAudit('', SHIPPED), { unavailable: 'no output' });
    assert.deepEqual(readAudit('npm ERR! network\n', SHIPPED), { unavailable: 'npm ERR! network' });
  });
});
