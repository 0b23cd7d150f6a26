import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EMPTY_DRAFT, markupOf, optionsOf } from '../../../../console/pages/delivery/draft.ts';
import { parseOptions } from '../../../../server/image-delivery/options.ts';

const KEY = { id: 'key_01JD3Z8Q4W0V6S8H2N5B7C9E1F', key: 'ic_live_example' };
const SOURCE = 'https://example.com/a b.jpg?x="1"&y=2';

describe('the draft of an address', () => {
  it('gives options that the service accepts', () => {
    const draft = { ...EMPTY_DRAFT, height: ' 300 ', fit: 'cover' as const, others: 'crop:1,2, r:90' };
    // The comma of a value has to be encoded.
    assert.deepEqual(optionsOf({ ...draft, others: 'r:90, g:0.5%2C0.2' }), {
      ...{ w: '800', h: '300', fit: 'cover', f: 'auto', q: 'auto', r: '90', g: '0.5,0.2' },
    });
    assert.deepEqual(optionsOf({ ...EMPTY_DRAFT, width: '', quality: '' }), {
      ...{ w: undefined, h: undefined, fit: undefined, f: 'auto', q: undefined },
    });
  });

  it('gives an address and markup with widths for screens', async () => {
    const { address, image } = await markupOf('https://i.example.com', KEY, { ...EMPTY_DRAFT, source: SOURCE });
    assert.match(address, /^https:\/\/i\.example\.com\/i\/key_\w+\.[\w-]{43}\/w:800,f:auto,q:auto\/plain\/https:/);
    parseOptions(address.split('/')[5]!);
    assert.match(image, / 400w, \S+ 800w, \S+ 1600w" sizes="\(max-width: 800px\) 100vw, 800px" alt="">$/);
    assert.doesNotMatch(image.replace(/="[^"]*"/g, ''), /"/);
    const sized = await markupOf('https://i.example.com', KEY, { ...EMPTY_DRAFT, source: SOURCE, height: '300' });
    assert.doesNotMatch(sized.image, /srcset/);
  });
});
