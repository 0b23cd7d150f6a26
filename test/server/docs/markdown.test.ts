import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderMarkdown } from '../../../server/docs/markdown.ts';

const render = (markdown: string) =>
  renderMarkdown(markdown, {
    resolve: (href) => (href.startsWith('gone') ? undefined : href.replace(/[.]md$/, '')),
    sizeOf: () => [4, 3],
  });

describe('Markdown as HTML', () => {
  it('shows raw HTML as text', () => {
    const { html } = render('<script>alert(1)</script>\n\nA <b onclick="x">word</b> and `<i>`.');
    assert.doesNotMatch(html, /<(?:script|b|i)\b/);
    assert.match(html, /&lt;script&gt;alert\(1\)/);
  });

  it('gives headings and rows unique ids, and names them', () => {
    const { html, headings, terms } = render(
      '## The list\n\n| Code | Meaning |\n| --- | --- |\n| `a_b` | x |\n\n## The list',
    );
    assert.deepEqual(
      headings.map(({ id }) => id),
      ['the-list', 'the-list-2'],
    );
    assert.deepEqual(terms, [{ name: 'a_b', id: 'the-list-a_b' }]);
    assert.match(html, /<tr id="the-list-a_b">/);
    assert.match(html, /tabindex="0" role="region" aria-label="The list"/);
  });

  it('removes a link without a target, and keeps its text', () => {
    const { html } = render('[here](there.md) and [not](gone.md)');
    assert.equal(html, '<p><a href="there">here</a> and not</p>\n');
  });

  it('shows the same code in several languages as a choice', () => {
    const { html } = render('```sh run\ncurl x\n```\n\n```js run\nfetch(x)\n```\n\nText.\n\n```sh\nls\n```');
    assert.equal(html.match(/type="radio"/g)?.length, 2);
    assert.equal(html.match(/<fieldset/g)?.length, 1);
    assert.equal(html.match(/<pre/g)?.length, 3);
  });

  it('shows images with their sizes, side by side', () => {
    const { html } = render('![Before](a.webp "One") ![After](b.webp)');
    assert.match(
      html,
      /^<div class="images"><figure class="image"><img src="a.webp" alt="Before" width="4" height="3"/,
    );
    assert.match(html, /<figcaption>One<\/figcaption>/);
  });
});
