import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { editXmp, type XmpEdits } from '../../../codecs/metadata/xmp.ts';
import { XMP } from './fixtures.ts';

function edit(text: string, edits: XmpEdits): string | undefined {
  const edited = editXmp(new TextEncoder().encode(text), edits);
  return edited && new TextDecoder('utf-8', { ignoreBOM: true }).decode(edited);
}

const location = (inside: string, attributes = '') =>
  edit(`<rdf:RDF><rdf:Description${attributes}>${inside}</rdf:Description></rdf:RDF>`, { removeLocation: true });
const left = (inside: string, attributes = '') =>
  `<rdf:RDF><rdf:Description${attributes}>${inside}</rdf:Description></rdf:RDF>`;

describe('editXmp', () => {
  it('removes locations in attributes and elements and keeps every other byte', () => {
    const expected = XMP.replace(' exif:GPSLatitude="51,30.5N"', '').replace(
      /<photoshop:City>.*<\/photoshop:City>/,
      '',
    );
    assert.equal(edit(XMP, { removeLocation: true }), expected);
  });

  it('removes nested structures completely', () => {
    const nested =
      '<Iptc4xmpExt:LocationShown><rdf:Bag><rdf:li rdf:parseType="Resource"><Iptc4xmpExt:City>Bled</Iptc4xmpExt:City>' +
      '<Iptc4xmpExt:Sublocation/></rdf:li></rdf:Bag></Iptc4xmpExt:LocationShown><dc:title>Lake</dc:title>';
    assert.equal(location(nested), left('<dc:title>Lake</dc:title>'));
  });

  for (const name of [
    'exif:GPSAltitude',
    'Iptc4xmpCore:Location',
    'Iptc4xmpCore:CountryCode',
    'Iptc4xmpExt:LocationCreated',
    'photoshop:State',
    'photoshop:Country',
    'drone-dji:GpsLongtitude',
    'drone-dji:RelativeAltitude',
    'geo:lat',
    'dc:coverage',
    'xmpDM:shotLocation',
    'unknown:GPSLatitude',
    'GPSLongitude',
  ]) {
    it(`removes ${name} in every form`, () => {
      assert.equal(location(`<${name}>x</${name}>`), left(''));
      assert.equal(location(`<${name} rdf:resource="x"/>`), left(''));
      assert.equal(location('', ` ${name} = 'x' dc:format="y"`), left('', ' dc:format="y"'));
    });
  }

  it('keeps names and texts that only resemble a location', () => {
    const text = '<rdf:Alt/><xmp:MetadataDate>2020</xmp:MetadataDate><xmpMM:History stEvt:parameters="new location"/>';
    assert.equal(location(text, ' xmlns:GPS="http://example.com/"'), left(text, ' xmlns:GPS="http://example.com/"'));
  });

  it('removes comments, which can contain a location, together with locations', () => {
    assert.equal(location('<!-- City: Bled --><dc:title/>'), left('<dc:title/>'));
    assert.equal(edit('<a><!-- note --></a>', {}), '<a><!-- note --></a>');
  });

  it('returns nothing for a packet that it cannot parse', () => {
    const broken = [
      '<a><b></a></b>',
      '<a',
      '<a>',
      '</a>',
      '<a b=c/>',
      '<!DOCTYPE a><a/>',
      '<a><![CDATA[x</a>',
      '<a b="1/>',
    ];
    for (const text of broken) assert.equal(edit(text, { removeLocation: true }), undefined, text);
    assert.equal(editXmp(Uint8Array.of(0xff, 0xfe, 0x3c, 0), { removeLocation: true }), undefined);
  });

  it('returns nothing for a packet that still contains a coordinate', () => {
    assert.equal(location('<dc:description>&lt;exif:GPSLatitude&gt;51&lt;</dc:description>'), undefined);
  });

  it('resets the orientation in both forms', () => {
    assert.equal(edit('<a tiff:Orientation="6"/>', { resetOrientation: true }), '<a tiff:Orientation="1"/>');
    assert.equal(
      edit('<a><tiff:Orientation> 8 </tiff:Orientation></a>', { resetOrientation: true }),
      '<a><tiff:Orientation>1</tiff:Orientation></a>',
    );
    assert.equal(
      edit('<a prism:Orientation="portrait"/>', { resetOrientation: true }),
      '<a prism:Orientation="portrait"/>',
    );
  });

  it('removes thumbnails and sizes of the old pixels', () => {
    const text = '<a tiff:ImageWidth="40"><xmp:Thumbnails><rdf:Alt><rdf:li>x</rdf:li></rdf:Alt></xmp:Thumbnails></a>';
    assert.equal(edit(text, { removePixelFacts: true }), '<a></a>');
  });

  it('removes references to extended packets and gain maps', () => {
    const text = '<a xmpNote:HasExtendedXMP="0123" hdrgm:Version="1.0"><Container:Directory/></a>';
    assert.equal(edit(text, { removeReferences: true }), '<a></a>');
  });

  it('keeps byte order mark, padding and trailing zeros', () => {
    const text = '\uFEFF<a/>   \n\0\0';
    assert.equal(edit(text, { removeLocation: true }), text);
  });
});
