import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stripMarkup } from '../../../codecs/svg/strip.ts';

const INKSCAPE = 'xmlns:ink="http://www.inkscape.org/namespaces/inkscape"';

describe('stripping SVG markup', () => {
  it('removes comments, metadata and the elements and attributes of editors, and nothing else', () => {
    const markup = `<svg ${INKSCAPE} ink:version="1" xmlns:other="urn:other" other:a="1">
  <!-- Ann --><metadata a="1"><metadata/><g/>secret</metadata><metadata/>
  <ink:page><ink:grid/><g>secret</g></ink:page><ink:grid/>
  <g  ink:label='x' id = "a"><![CDATA[<!-- kept -->]]><other:metadata>kept</other:metadata></g> </svg>\n`;
    assert.equal(
      stripMarkup(markup),
      `<svg xmlns:other="urn:other" other:a="1">
  
  
  <g id = "a"><![CDATA[<!-- kept -->]]><other:metadata>kept</other:metadata></g> </svg>\n`,
    );
  });

  it('recognises metadata by the prefix of the root', () => {
    const markup = (content: string) => `<s:svg xmlns:s="http://www.w3.org/2000/svg">${content}</s:svg>`;
    assert.equal(stripMarkup(markup('<s:metadata>Ann</s:metadata><s:g/>')), markup('<s:g/>'));
    assert.equal(stripMarkup(markup('<metadata>other</metadata>')), markup('<metadata>other</metadata>'));
  });

  it('keeps the root, whatever its name', () => {
    assert.equal(stripMarkup('<metadata><g/></metadata>'), '<metadata><g/></metadata>');
  });

  it('returns nothing if the markup is not well-formed, or redefines the prefix of an editor', () => {
    assert.equal(stripMarkup('<svg><g></svg>'), undefined);
    assert.equal(stripMarkup(`<svg ${INKSCAPE}><g xmlns:ink="urn:other" ink:a="1"/></svg>`), undefined);
    assert.equal(stripMarkup(`<svg ${INKSCAPE}><g ${INKSCAPE} ink:a="1"/></svg>`), '<svg><g/></svg>');
  });
});
