import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS, MetadataBudget } from '../../../codecs/tags/plain.ts';
import { readXmpTags } from '../../../codecs/tags/xmp-tags.ts';

const NAMESPACES = {
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  dc: 'http://purl.org/dc/elements/1.1/',
  xmp: 'http://ns.adobe.com/xap/1.0/',
  xmpMM: 'http://ns.adobe.com/xap/1.0/mm/',
  stEvt: 'http://ns.adobe.com/xap/1.0/sType/ResourceEvent#',
  my: 'https://example.com/my/',
};
const declared = Object.entries(NAMESPACES)
  .map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`)
  .join(' ');
const packet = (content: string, attributes = '') =>
  Buffer.from(
    `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF ${declared}><rdf:Description rdf:about="" ${attributes}>${content}</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`,
  );
const read = (bytes: Uint8Array) => readXmpTags(bytes, new MetadataBudget());

describe('XMP as names and values', () => {
  it('reads properties as attributes and as elements', () => {
    const tags = read(
      packet('<xmp:Label> Red </xmp:Label><my:link rdf:resource="https://a.example/"/>', 'xmp:Rating="4"'),
    );
    assert.deepEqual(tags, { 'xmp:Rating': '4', 'xmp:Label': 'Red', 'my:link': 'https://a.example/' });
  });

  it('reads lists, languages and structures', () => {
    const tags = read(
      packet(
        `<dc:subject><rdf:Bag><rdf:li>sea</rdf:li><rdf:li>sky &amp; sun</rdf:li></rdf:Bag></dc:subject>
         <dc:title><rdf:Alt><rdf:li xml:lang="x-default">Harbour</rdf:li><rdf:li xml:lang="sl">Pristanišče</rdf:li></rdf:Alt></dc:title>
         <xmpMM:History><rdf:Seq><rdf:li rdf:parseType="Resource"><stEvt:action>saved</stEvt:action></rdf:li><rdf:li stEvt:action="cut"/></rdf:Seq></xmpMM:History>
         <my:quality><rdf:Description><rdf:value>9</rdf:value><my:unit>of ten</my:unit></rdf:Description></my:quality>`,
      ),
    );
    assert.deepEqual(tags, {
      'dc:subject': ['sea', 'sky & sun'],
      'dc:title': 'Harbour',
      'dc:title-sl': 'Pristanišče',
      'xmpMM:History': [{ 'stEvt:action': 'saved' }, { 'stEvt:action': 'cut' }],
      'my:quality': '9',
    });
  });

  it('recognises namespaces by their URI, whatever the prefix', () => {
    const content = '<a:creator xmlns:a="http://purl.org/dc/elements/1.1/">Ana</a:creator>';
    assert.deepEqual(read(packet(content)), { 'dc:creator': 'Ana' });
  });

  it('expands only the five predefined entities and numeric characters', () => {
    const text = '&lt;b&gt; &#x17d;&#382; &unknown; &#x110000;';
    assert.deepEqual(read(packet(`<xmp:Label>${text}</xmp:Label>`)), {
      'xmp:Label': '<b> Žž &unknown; &#x110000;',
    });
    const bomb = `<!DOCTYPE x [<!ENTITY a "${'ha'.repeat(50)}">]>`;
    assert.deepEqual(read(Buffer.concat([Buffer.from(bomb), packet('<xmp:Label>&a;&a;</xmp:Label>')])), {});
  });

  it('reads UTF-16', () => {
    const text = packet('<xmp:Label>Žiga</xmp:Label>').toString();
    const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
    assert.deepEqual(read(bytes), { 'xmp:Label': 'Žiga' });
    assert.deepEqual(read(Buffer.from(bytes).swap16()), { 'xmp:Label': 'Žiga' });
  });

  it('returns what precedes the damage', () => {
    const whole = packet('<xmp:Label>Red</xmp:Label><xmp:Nickname>x</xmp:Nickname>');
    assert.deepEqual(read(whole.subarray(0, whole.indexOf('</xmp:Nick'))), { 'xmp:Label': 'Red' });
    assert.deepEqual(read(Buffer.from('no packet')), {});
  });

  it('limits depth, lists, texts and names', () => {
    const deep = packet(`${'<my:a>'.repeat(900)}x${'</my:a>'.repeat(900)}<xmp:Label>after</xmp:Label>`);
    const { 'xmp:Label': label, ...nested } = read(deep);
    assert.equal(label, 'after');
    assert.ok(JSON.stringify(nested).split('my:a').length < 40);
    const items = Array.from({ length: 5000 }, (_, index) => `<rdf:li>${index}</rdf:li>`).join('');
    const list = read(packet(`<dc:subject><rdf:Bag>${items}</rdf:Bag></dc:subject>`))['dc:subject'];
    assert.equal((list as string[]).length, LIMITS.list);
    const long = read(packet(`<xmp:Label>${'x'.repeat(100_000)}</xmp:Label>`))['xmp:Label'];
    assert.equal(long, `${'x'.repeat(LIMITS.text)}…`);
    const many = (length: number) =>
      read(packet(Array.from({ length: 15_000 }, (_, at) => `<my:p${at}>${'y'.repeat(length)}</my:p${at}>`).join('')));
    assert.equal(Object.keys(many(20)).length, LIMITS.values);
    const text = Object.values(many(200)).join('');
    assert.equal(text.replaceAll('…', '').length, LIMITS.characters);
    assert.deepEqual(read(packet(`<my:${'n'.repeat(5000)}>1</my:${'n'.repeat(5000)}>`)), {});
  });

  it('does not set a prototype', () => {
    const tags = read(
      packet('<__proto__ rdf:parseType="Resource"><my:admin>1</my:admin></__proto__><constructor>2</constructor>'),
    );
    assert.equal(Object.getPrototypeOf(tags), Object.prototype);
    assert.deepEqual(tags, { constructor: '2' });
  });
});
