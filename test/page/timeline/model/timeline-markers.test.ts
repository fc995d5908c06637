import { expect } from 'chai';
import {
  LARGEST_FILE,
  mergedMarkers,
  readMarkers,
  writeMarkers,
} from '../../../../src/page/timeline/model/timeline-markers.js';

const file = (markers: unknown): string => JSON.stringify({ type: 'dprof-markers', v: 1, markers });

describe('file of markers', () => {
  it('keeps them, in time order', () => {
    const markers = [
      { at: 20, name: 'end </script>' },
      { at: 3.5, name: 'été 漢字' },
    ];
    expect(readMarkers(writeMarkers(markers))).to.deep.equal([markers[1], markers[0]]);
    expect(readMarkers(writeMarkers([]))).to.deep.equal([]);
  });

  it('reads only time and name, the name as one line', () => {
    const text =
      '{"type":"dprof-markers","v":1,"markers":[{"at":1,"name":" a\\n\\u0000b\\u202e ","__proto__":{"x":1},"y":2}]}';
    expect(readMarkers(text)).to.deep.equal([{ at: 1, name: 'a b' }]);
  });

  it('of another kind is rejected in one line', () => {
    const hostile: readonly (readonly [string, string])[] = [
      ['', 'the file is not JSON'],
      ['<script>', 'the file is not JSON'],
      ['null', 'the file contains no dprof markers'],
      ['[]', 'the file contains no dprof markers'],
      ['{"type":"other","v":1,"markers":[]}', 'the file contains no dprof markers'],
      ['{"type":"dprof-markers","v":2,"markers":[]}', 'the file has an unsupported version'],
      ['{"type":"dprof-markers","v":1,"markers":{"length":1}}', 'the file has no list of markers'],
      [file([{ at: 1, name: 'a' }, null]), 'marker 2 is not an object'],
      [file([{ at: '1', name: 'a' }]), 'marker 1 has no time in ns'],
      ['{"type":"dprof-markers","v":1,"markers":[{"at":1e999,"name":""}]}', 'marker 1 has no time in ns'],
      [file([{ at: 1, name: { toString: 'x' } }]), 'marker 1 has no name'],
      [file([{ at: 1, name: 'a'.repeat(201) }]), 'marker 1 has a name above 200 characters'],
      [file(Array.from({ length: 501 }, () => ({ at: 1, name: '' }))), 'the file has more than 500 markers'],
      [' '.repeat(LARGEST_FILE + 1), 'the file is larger than 1 MB'],
      ['['.repeat(100_000), 'the file is not JSON'],
    ];
    for (const [text, why] of hostile) expect(() => readMarkers(text), text.slice(0, 60)).to.throw(why);
  });

  it('is merged with existing markers, each once', () => {
    const some = [{ at: 5, name: 'a' }];
    const more = [
      { at: 1, name: 'b' },
      { at: 5, name: 'a' },
    ];
    expect(mergedMarkers(some, more)).to.deep.equal([
      { at: 1, name: 'b' },
      { at: 5, name: 'a' },
    ]);
  });
});
