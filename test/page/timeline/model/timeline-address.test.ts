import { expect } from 'chai';
import fc from 'fast-check';
import {
  readAddress,
  withAddress,
  withPlace,
  type TimelineAddress,
} from '../../../../src/page/timeline/model/timeline-address.js';
import { markerName, sortedMarkers } from '../../../../src/page/timeline/model/timeline-markers.js';
import { COLOUR_KEYS } from '../../../../src/page/timeline/events/event-colours.js';

const NO_ADDRESS: TimelineAddress = {
  profile: 0,
  piece: null,
  view: null,
  event: null,
  found: null,
  colour: null,
  search: '',
  closed: null,
  opened: [],
  span: null,
  markers: [],
};

const time = fc.integer({ min: -1e12, max: 1e15 });
const span = fc.option(
  fc.tuple(time, fc.integer({ min: 1, max: 1e12 })).map(([from, width]) => ({ from, to: from + width })),
);
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
const address: fc.Arbitrary<TimelineAddress> = fc.record({
  profile: fc.nat(1000),
  piece: fc.option(fc.nat(1000)),
  view: span,
  event: fc.option(fc.nat(200_000)),
  found: fc.constant(null),
  colour: fc.constantFrom(...COLOUR_KEYS),
  search: fc.oneof(fc.constant(''), text),
  closed: fc.option(fc.array(text, { maxLength: 4 })),
  opened: fc.array(text, { maxLength: 4 }),
  span: fc.tuple(span, fc.option(fc.uniqueArray(text, { minLength: 1, maxLength: 4 }))).map(([one, lanes]) =>
    one === null ? null : { ...one, lanes: lanes === null ? null : new Set(lanes) },
  ),
  markers: fc.array(fc.record({ at: time, name: text.map(markerName) }), { maxLength: 4 }).map(sortedMarkers),
}); // prettier-ignore

describe('address of a timeline', () => {
  it('is restored as it was', () => {
    fc.assert(
      fc.property(address, (one) => {
        expect(readAddress(withAddress('', one))).to.deep.equal(one);
      }),
    );
  });

  it('is written shortly', () => {
    const one = { ...NO_ADDRESS, view: { from: -10.4, to: 2000.6 }, search: 'op:linear gemm' };
    expect(withAddress('', one)).to.equal('t.view=-10_2001&t.search=op%3Alinear+gemm');
    expect(withAddress('', NO_ADDRESS)).to.equal('');
  });

  it('has markers, which stay in another piece', () => {
    const markers = [{ at: 2000, name: 'slow: from here, on' }];
    const fragment = withAddress('', { ...NO_ADDRESS, markers });
    expect(readAddress(fragment).markers).to.deep.equal(markers);
    expect(readAddress(withPlace(fragment, { piece: 4, view: null })).markers).to.deep.equal(markers);
    expect(readAddress('t.markers=1e9:a,x:b,7,:c').markers).to.deep.equal([]);
  });

  it('has a search for a kernel whose name has thousands of characters', () => {
    const search = `kernel=="k<${'long, '.repeat(500)}float>"`;
    expect(readAddress(withAddress('', { ...NO_ADDRESS, search })).search).to.equal(search);
  });

  it('of another piece has no event or span of the one before', () => {
    const before = 'theme=dark&t.piece=3&t.view=1_2&t.event=1&t.span=1_2&t.lanes=a%2F*&t.search=gemm';
    expect(withPlace(before, { piece: 4, view: null })).to.equal('theme=dark&t.piece=4&t.search=gemm');
    expect(withPlace(before, { piece: null, view: { from: 5, to: 6 } })).to.equal(
      'theme=dark&t.view=5_6&t.search=gemm',
    );
  });

  it('keeps other parameters', () => {
    const one = { ...NO_ADDRESS, event: 7 };
    expect(withAddress('#theme=dark&rank=3&t.event=1&t.span=1_2', one)).to.equal('theme=dark&rank=3&t.event=7');
  });

  it('is read as far as it is valid, whoever wrote it', () => {
    const hostile = '#t.view=5_1&t.event=-1&t.colour=__proto__&t.span=1_x&t.closed=%25E0%25A4%25A&t.profile=1e9';
    expect(readAddress(hostile)).to.deep.equal({ ...NO_ADDRESS, closed: [] });
    expect(readAddress(`t.view=${'9'.repeat(400)}_1&t.event=99999999999`)).to.deep.equal(NO_ADDRESS);
    expect(readAddress(`t.search=${'a'.repeat(50_000)}`).search).to.have.length(10_000);
  });

  it('is read from any text without an error', () => {
    fc.assert(
      fc.property(fc.string(), (fragment) => {
        readAddress(fragment);
      }),
    );
  });

  it('of a link has the time of an event to find, which is not written again', () => {
    expect(readAddress('t.found=1500.5&t.event=3').found).to.equal(1500.5);
    expect(readAddress('t.found=1e99').found).to.equal(null);
    expect(withAddress('t.found=1500', NO_ADDRESS)).to.equal('');
  });
});
